"""Leftovers of a stack in the simulated clouds, from their ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.account.leftovers.kinds import Thing, kinds_by_type, removal
from gpucluster.catalog.free import free_reason
from gpucluster.program.resources import Resource, Resources
from gpucluster.program.values import is_list, is_object
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.project import Project
from gpucluster.sandbox.recovery.compare import stack_of
from gpucluster.sandbox.recovery.damage import differences

_KUBERNETES: Final = "kubernetes"
"""Objects cost nothing themselves, and are deleted with their cluster."""


def ledger_of(project: Project, stack: str) -> tuple[Resources, dict[str, str]]:
    """The existing resources of a stack, and URN -> the command that would remove it from a real account.

    Not what a destroy keeps on purpose and nobody pays for: permissions that other clusters may use, enabled APIs. A
    cloud's own inventory does not have them either.
    """
    kept = [entry for difference in differences(project) for entry in difference.kept if free_reason(entry.type)]
    entries = [
        entry
        for entry in project.store.existing()
        if stack_of(entry.urn) == stack and not entry.type.startswith(_KUBERNETES) and entry not in kept
    ]
    regions = {entry.type.partition(":")[0]: entry.scope for entry in entries if entry.scope != "global"}
    removals = {entry.urn: removal(_thing(entry)) for entry in entries}
    known = {text: entry.urn for entry in entries for text in (entry.id, entry.outputs.get("arn")) if text}
    return Resources([_resource(entry, known) for entry in entries], default_regions=regions), removals


def _resource(entry: Entry, known: Mapping[str, str]) -> Resource:
    """known: id or ARN -> URN, to resolve references in its inputs."""
    behind = {key: tuple(known[text] for text in _texts(value) if text in known) for key, value in entry.inputs.items()}
    return Resource(
        urn=entry.urn,
        type=entry.type,
        name=entry.names[0],
        inputs=entry.inputs,
        outputs={**entry.outputs, "id": entry.id},
        dependencies={key: urns for key, urns in behind.items() if urns},
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_object(value) or is_list(value):
        for inner in value.values() if is_object(value) else value:
            yield from _texts(inner)


def _thing(entry: Entry) -> Thing:
    found = entry.outputs
    place = str(found.get("zone") or found.get("location") or found.get("region") or entry.scope)
    project = str(found.get("project") or "")
    return Thing(kind=kinds_by_type().get(entry.type, ""), whole=entry.id, place=place, project=project)
