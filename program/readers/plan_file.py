"""Reads `pulumi preview --json --show-sames`.

The file holds one step per resource, the configuration of the stack, and diagnostics. It has no step for default
providers, so their region comes from the configuration; a region from the environment is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeGuard

from gpucluster.program.readers.errors import NotReadable
from gpucluster.program.readers.records import resource_of
from gpucluster.program.resources import Resource, Resources, region_key
from gpucluster.program.values import is_list, is_object

_COMMAND: Final = "pulumi preview --json --show-sames"

_GONE: Final = frozenset(
    {"delete", "delete-replaced", "discard", "discard-replaced", "read-discard", "remove-pending-replace"}
)
"""Operations whose resource will not exist."""

_MADE: Final = frozenset({"create", "create-replacement", "import", "import-replacement", "replace", "same", "update"})
"""Operations that create or keep a resource of this stack, whose new state the engine always writes."""

_ELSEWHERE: Final = frozenset({"read", "read-replacement"})
"""Operations on resources that another program owns and pays for."""


def is_plan(document: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether the document has the form of a plan."""
    return is_object(document) and ("steps" in document or "changeSummary" in document)


def read_plan(document: Mapping[str, Any], what: str) -> Resources:
    """The resources that will exist. NotReadable if the plan ended in an error, or does not contain all of them."""
    steps = document.get("steps", [])
    if not is_list(steps) or not all(map(is_object, steps)):
        raise NotReadable(f"{what}: steps is not a list of objects; write it with `{_COMMAND}`")
    for at, op in enumerate(step.get("op") for step in steps):
        if not isinstance(op, str):
            raise NotReadable(f"{what}: the op of steps[{at}] is {op!r}, not text; write it with `{_COMMAND}`")
    _refuse_failed(document, what)
    _refuse_without_sames(document, steps, what)
    _refuse_without_states(document, steps, what)
    found: dict[str, Resource] = {}
    for step in steps:
        record = step.get("newState")
        if step.get("op") in _GONE or step.get("op") in _ELSEWHERE or not is_object(record):
            continue
        resource = resource_of(record, what, _COMMAND)
        found[resource.urn] = resource
    shown = {urn: _known_provider(resource, found) for urn, resource in found.items()}
    config = document.get("config")
    return Resources(shown.values(), default_regions=_regions(config if is_object(config) else {}))


def read_standing(document: Mapping[str, Any], what: str) -> Resources:
    """The resources that exist before the update, without those another program owns; for a plan already read."""
    old = (step.get("oldState") for step in document.get("steps", []))
    return Resources(
        resource_of(record, what, _COMMAND)
        for record in old
        if is_object(record) and record.get("external") is not True
    )


def _known_provider(resource: Resource, found: Mapping[str, Resource]) -> Resource:
    """The resource without a provider that the plan does not contain."""
    if resource.provider is None or resource.provider in found:
        return resource
    return replace(resource, provider=None)


def _regions(config: Mapping[str, Any]) -> dict[str, str]:
    """Package -> region of its default provider, from keys such as `aws:region` and `azure-native:location`."""
    places = ((key.partition(":"), value) for key, value in config.items() if isinstance(value, str))
    return {package: value for (package, _, name), value in places if name == region_key(package)}


def _refuse_failed(document: Mapping[str, Any], what: str) -> None:
    diagnostics = document.get("diagnostics")
    for diagnostic in diagnostics if is_list(diagnostics) else ():
        if is_object(diagnostic) and diagnostic.get("severity") == "error":
            said = str(diagnostic.get("message", "")).strip() or "no message"
            raise NotReadable(f"{what}: the preview ended in an error, so the plan is incomplete: {said}")


def _refuse_without_states(document: Mapping[str, Any], steps: Sequence[Any], what: str) -> None:
    """Refuses a plan with names only: no step has the resources' contents, so all of them would be omitted."""
    made = [step for step in steps if step["op"] in _MADE]
    bare = [step for step in made if not is_object(step.get("newState"))]
    if bare:
        named = ", ".join(str(step.get("urn")) for step in bare[:2]) + (" and others" if len(bare) > 2 else "")
        raise NotReadable(
            f"{what}: {len(bare)} of {len(made)} steps have no newState with the resource (first {named}); "
            f"write the whole plan with `{_COMMAND}`"
        )
    summary = document.get("changeSummary")
    counts = [summary.get(op) for op in _MADE] if is_object(summary) and not steps else []
    if told := sum(count for count in counts if isinstance(count, int)):
        raise NotReadable(
            f"{what} counts {told} resources but has no steps that describe them; write it with `{_COMMAND}`"
        )


def _refuse_without_sames(document: Mapping[str, Any], steps: Sequence[Any], what: str) -> None:
    summary = document.get("changeSummary")
    expected = summary.get("same", 0) if is_object(summary) else 0
    present = sum(step.get("op") == "same" for step in steps)
    if isinstance(expected, int) and present < expected:
        raise NotReadable(
            f"{what} leaves out {expected - present} unchanged resources, so its total would be wrong; "
            f"write it with `{_COMMAND}`"
        )
