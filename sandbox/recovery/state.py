"""What Pulumi's state says a stack has, read from the file backend without starting the engine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.narrow import items, mapping
from sandbox.project import InputError, Project
from sandbox.recovery.times import seconds

__all__ = ["Recorded", "StackState", "all_states", "is_cloud_resource", "once_recorded"]


@dataclass(frozen=True)
class StackState:
    """Resources and unfinished operations of one stack, as the state writes them; secrets stay encrypted."""

    stack: str
    resources: tuple[Mapping[str, Any], ...]
    pending: tuple[Mapping[str, Any], ...] = ()


def all_states(project: Project) -> list[StackState]:
    """The state of every stack of the project; raises InputError for one that cannot be read."""
    folder = project.store.state / ".pulumi" / "stacks" / project.name
    return [_read(file) for file in sorted([*folder.glob("*.json"), *folder.glob("*.json.gz")])]


def _read(file: Path) -> StackState:
    try:
        raw = file.read_bytes()
        document = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
    except (OSError, ValueError, EOFError) as error:
        backup = f"{file.name}.bak"
        raise InputError(
            f"the state {file} cannot be read ({error}); the one before it is {backup}, `sandbox reset` forgets all"
        ) from error
    latest = mapping(mapping(mapping(document).get("checkpoint")).get("latest"))
    stack = file.name.removesuffix(".gz").removesuffix(".json")
    return StackState(stack, tuple(items(latest.get("resources"))), tuple(items(latest.get("pending_operations"))))


Recorded = Mapping[tuple[str, str, str], float]
"""Type, id and URN -> when it was created, in seconds since the epoch."""


def once_recorded(project: Project) -> Recorded:
    """What the state had after any earlier update, by the file backend's history."""
    folder = project.store.state / ".pulumi" / "history" / project.name
    found: dict[tuple[str, str, str], float] = {}
    for file in sorted([*folder.glob("*/*.checkpoint.json"), *folder.glob("*/*.checkpoint.json.gz")]):
        for resource in filter(is_cloud_resource, _read(file).resources):
            key = (str(resource["type"]), str(resource.get("id")), str(resource["urn"]))
            found[key] = max(found.get(key, 0.0), seconds(str(resource.get("created") or "1970-01-01T00:00:00Z")))
    return found


def is_cloud_resource(resource: Mapping[str, Any]) -> bool:
    """Whether this stands for something in a cloud: no component, no provider, no stack."""
    return bool(resource.get("custom")) and not str(resource["type"]).startswith("pulumi:")
