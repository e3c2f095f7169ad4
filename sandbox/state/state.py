"""Reads a stack's resources in Pulumi's state from the file backend, without starting the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from gpucluster.core.text.type_guards import is_object, items, mapping
from gpucluster.errors import InputError
from gpucluster.sandbox.project.project import Project


def seconds(timestamp: str) -> float:
    """Seconds since the epoch of an RFC 3339 time; Go's nanoseconds are cut to microseconds."""
    return datetime.fromisoformat(timestamp).timestamp()


class UnreadableStateError(Exception):
    """A file without an intact state; the message gives the reason."""


@dataclass(frozen=True)
class StackState:
    """Resources and unfinished operations of one stack, as the state writes them; secrets stay encrypted.

    written: time of the last write by an update, in seconds since the epoch; `state delete` and `stack import` keep it.
    """

    stack: str
    resources: tuple[Mapping[str, Any], ...]
    pending: tuple[Mapping[str, Any], ...] = ()
    written: float = 0.0


def state_files(project: Project) -> dict[str, Path]:
    """The state file of each stack; none is compressed, as the engine gets no variable that asks for it."""
    return {file.stem: file for file in sorted(project.store.states(project.name).glob("*.json"))}


def all_states(project: Project) -> list[StackState]:
    """The state of every stack of the project; raises InputError for an unreadable one."""
    try:
        return [read_state(file, stack) for stack, file in state_files(project).items()]
    except UnreadableStateError as error:
        raise InputError(str(error)) from error


def read_state(file: Path, stack: str) -> StackState:
    """The state in a file of the file backend; raises UnreadableStateError."""
    latest = _latest(file)
    resources, pending = items(latest.get("resources")), items(latest.get("pending_operations"))
    if not all(mapping(resource).get("urn") and mapping(resource).get("type") for resource in resources):
        raise UnreadableStateError(f"the state {file} holds a resource without URN or type")
    return StackState(stack, tuple(resources), tuple(pending), _written(latest))


def _latest(file: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise UnreadableStateError(f"the state {file} cannot be read ({error})") from error
    if not is_object(document) or not is_object(document.get("checkpoint")):
        raise UnreadableStateError(f"the state {file} holds no checkpoint")
    return mapping(document["checkpoint"].get("latest"))


def _written(latest: Mapping[str, Any]) -> float:
    """The time of the state; zero if missing: older than any other."""
    try:
        return seconds(str(mapping(latest.get("manifest"))["time"]))
    except (KeyError, ValueError):
        return 0.0


Recorded = Mapping[tuple[str, str, str], float]
"""Type, id and URN -> creation time, in seconds since the epoch."""


def once_recorded(project: Project) -> Recorded:
    """The resources of the state after any earlier update, from the file backend's history."""
    found: dict[tuple[str, str, str], float] = {}
    for state in _history(project):
        for resource in filter(is_cloud_resource, state.resources):
            key = (str(resource["type"]), str(resource.get("id")), str(resource["urn"]))
            found[key] = max(found.get(key, 0.0), seconds(str(resource.get("created") or "1970-01-01T00:00:00Z")))
    return found


def _history(project: Project) -> Iterator[StackState]:
    """The readable states of the history: single missing ones matter little."""
    folder = project.store.state / ".pulumi" / "history" / project.name
    for file in sorted(folder.glob("*/*.checkpoint.json")):
        with suppress(UnreadableStateError):
            yield read_state(file, file.parent.name)


def is_cloud_resource(resource: Mapping[str, Any]) -> bool:
    """Whether it is a resource of a cloud: no component, no provider, no stack."""
    return bool(resource.get("custom")) and not str(resource["type"]).startswith("pulumi:")
