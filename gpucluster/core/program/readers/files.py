"""Reads `pulumi stack export`: existing resources, as the engine recorded them."""

from __future__ import annotations

import gc
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeGuard

from gpucluster.core.program.readers.deletions import Deletion, deletions_of
from gpucluster.core.program.readers.records import NotReadable, resource_of
from gpucluster.core.program.resources import Resource, Resources, region_key
from gpucluster.core.program.values import is_list, is_object
from gpucluster.core.text.json_text import BadJson, parse
from gpucluster.core.text.terminal import lent

__all__ = [
    "SET_VARIABLE",
    "NotReadable",
    "Read",
    "arguments_of",
    "is_plan",
    "is_state",
    "read_existing",
    "read_file",
    "read_plan",
    "read_state",
    "read_text",
    "run",
]


_COMMAND: Final = "pulumi stack export"


def is_state(document: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether the document has the form of a state."""
    return is_object(document) and is_object(document.get("deployment"))


def read_state(document: Mapping[str, Any], what: str) -> Resources:
    """The resources of the stack, without those that another program owns or that are pending deletion."""
    records = document["deployment"].get("resources", [])
    if not is_list(records):
        raise NotReadable(f"{what}: deployment.resources is not a list; write it with `{_COMMAND}`")
    return Resources(
        resource_of(record, what, _COMMAND)
        for record in records
        if not (is_object(record) and (record.get("external") is True or record.get("delete") is True))
    )


_PLAN_FILE_COMMAND: Final = "pulumi preview --json --show-sames"

_GONE: Final = frozenset(
    {"delete", "delete-replaced", "discard", "discard-replaced", "read-discard", "remove-pending-replace"}
)
"""Operations whose resource will not exist."""

_KEPT: Final = frozenset({"create", "create-replacement", "import", "import-replacement", "replace", "same", "update"})
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
        raise NotReadable(f"{what}: steps is not a list of objects; write it with `{_PLAN_FILE_COMMAND}`")
    for at, op in enumerate(step.get("op") for step in steps):
        if not isinstance(op, str):
            raise NotReadable(
                f"{what}: the op of steps[{at}] is {op!r}, not text; write it with `{_PLAN_FILE_COMMAND}`"
            )
    _refuse_failed(document, what)
    _refuse_without_sames(document, steps, what)
    _refuse_without_states(document, steps, what)
    found: dict[str, Resource] = {}
    for step in steps:
        record = step.get("newState")
        if step.get("op") in _GONE or step.get("op") in _ELSEWHERE or not is_object(record):
            continue
        resource = resource_of(record, what, _PLAN_FILE_COMMAND)
        found[resource.urn] = resource
    shown = {urn: _known_provider(resource, found) for urn, resource in found.items()}
    config = document.get("config")
    return Resources(shown.values(), default_regions=_regions(config if is_object(config) else {}))


def read_existing(document: Mapping[str, Any], what: str) -> Resources:
    """The resources that exist before the update, without those another program owns; for a plan already read."""
    old = (step.get("oldState") for step in document.get("steps", []))
    found = [
        resource_of(record, what, _PLAN_FILE_COMMAND)
        for record in old
        if is_object(record) and record.get("external") is not True
    ]
    config = document.get("config")
    return Resources(found, default_regions=_regions(config if is_object(config) else {}))


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
            output = str(diagnostic.get("message", "")).strip() or "no message"
            raise NotReadable(f"{what}: the preview ended in an error, so the plan is incomplete: {output}")


def _refuse_without_states(document: Mapping[str, Any], steps: Sequence[Any], what: str) -> None:
    """Refuses a plan with names only: no step has the resources' contents, so all of them would be omitted."""
    kept = [step for step in steps if step["op"] in _KEPT]
    bare = [step for step in kept if not is_object(step.get("newState"))]
    if bare:
        named = ", ".join(str(step.get("urn")) for step in bare[:2]) + (" and others" if len(bare) > 2 else "")
        raise NotReadable(
            f"{what}: {len(bare)} of {len(kept)} steps have no newState with the resource (first {named}); "
            f"write the whole plan with `{_PLAN_FILE_COMMAND}`"
        )
    summary = document.get("changeSummary")
    counts = [summary.get(op) for op in _KEPT] if is_object(summary) and not steps else []
    if total := sum(count for count in counts if isinstance(count, int)):
        raise NotReadable(
            f"{what} counts {total} resources but has no steps that describe them; write it with `{_PLAN_FILE_COMMAND}`"
        )


def _refuse_without_sames(document: Mapping[str, Any], steps: Sequence[Any], what: str) -> None:
    summary = document.get("changeSummary")
    expected = summary.get("same", 0) if is_object(summary) else 0
    present = sum(step.get("op") == "same" for step in steps)
    if isinstance(expected, int) and present < expected:
        raise NotReadable(
            f"{what} leaves out {expected - present} unchanged resources, so its total would be wrong; "
            f"write it with `{_PLAN_FILE_COMMAND}`"
        )


_HOW = "give the output of `pulumi preview --json --show-sames` or of `pulumi stack export`"


@dataclass(frozen=True, slots=True)
class Read:
    """A file that was read.

    is_plan: whether its steps show the effect on existing resources: `ended`.
    existing: reads the resources that exist before the update, as far as a plan's steps show them.
    spec: path of the stack's spec as its configuration has it; empty without one, and for a state.
    """

    resources: Resources
    is_plan: bool
    ended: tuple[Deletion, ...] = ()
    existing: Callable[[], Resources] = field(default=lambda: Resources([]), repr=False, compare=False)
    spec: str = ""


def read_text(text: str, what: str) -> Resources:
    """The resources in the text of a plan or state file. NotReadable describes a problem; `what` names the file."""
    return read_file(text, what).resources


def read_file(text: str, what: str) -> Read:
    """The same, with the plan's deletions and replacements."""
    with _uncollected():
        return _read(_document(text, what), what)


def _read(document: Any, what: str) -> Read:
    if is_plan(document):
        existing, config = partial(read_existing, document, what), document.get("config")
        spec = str(config.get("gpucluster:spec", "")) if is_object(config) else ""
        return Read(read_plan(document, what), True, deletions_of(document), existing, spec)
    if is_state(document):
        return Read(read_state(document, what), False)
    names = ", ".join(sorted(map(str, document))[:5]) if is_object(document) else ""
    found = f"an object with {names}" if names else "an empty object" if is_object(document) else "no object"
    raise NotReadable(f"{what} is neither a plan nor a state (found {found}); {_HOW}")


@contextmanager
def _uncollected() -> Generator[None]:
    """Without garbage collection, which would scan the read data repeatedly: all of it is kept."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _document(text: str, what: str) -> Any:
    if not text.strip():
        raise NotReadable(f"{what} is empty; {_HOW}")
    try:
        return parse(text)
    except BadJson as error:
        raise NotReadable(f"{what} {error}; {_HOW}") from None


SET_VARIABLE: Final = "GPUCLUSTER_SET"
"""Overrides spec values of our programs for one preview, as a JSON object with string values."""

_EXAMPLE: Final = "write for example --run 'pulumi preview --stack dev'"
_PLAN: Final = ("--json", "--show-sames")
_SHOWN: Final = 15
"""Lines shown of a failed command's output."""


def arguments_of(command: str) -> list[str]:
    """The words of a command; a preview gets options for complete JSON. NotReadable describes an unusable one."""
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise NotReadable(f"--run: {command!r} cannot be split into words: {error}; {_EXAMPLE}") from None
    if not arguments:
        raise NotReadable(f"--run is empty; {_EXAMPLE}")
    if shutil.which(arguments[0]) is None:
        raise NotReadable(f"--run: there is no command {arguments[0]!r}; name one on PATH or by its path")
    if "preview" in arguments:
        arguments += [option for option in _PLAN if option not in arguments]
    return arguments


def run(arguments: Sequence[str], values: Mapping[str, str], *, quiet: bool = False) -> str:
    """The output of the command. NotReadable if it fails without a plan.

    A preview that ends in an error still writes a plan, which contains the error. No shell is used.

    values: for the spec of our programs, by field. quiet: hide its stderr, unless it fails.
    """
    environment = {**os.environ, SET_VARIABLE: json.dumps(dict(values))} if values else dict(os.environ)
    try:
        with lent():
            done = subprocess.run(
                arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet else None,
                text=True, encoding="utf-8", errors="replace", check=False,
            )  # fmt: skip
    except OSError as error:
        raise NotReadable(f"--run: {shlex.join(arguments)} cannot be run: {error.strerror}") from None
    if done.returncode and not done.stdout.lstrip().startswith("{"):
        output = [line for text in (done.stdout, done.stderr) for line in (text or "").splitlines() if line.strip()]
        raise NotReadable(
            "\n".join([f"--run: {shlex.join(arguments)} ended with {done.returncode}", *output[-_SHOWN:]])
        )
    return done.stdout
