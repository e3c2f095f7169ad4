"""`gpucluster sandbox drift`: resources changed or deleted in the simulated clouds outside Pulumi."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import click

from gpucluster.core.program.resources import urn_name
from gpucluster.core.text.terminal import plain
from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.options import form_of, stack_option
from gpucluster.sandbox.clouds.outputs import REPEATED
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import to_wire
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.project import current_project
from gpucluster.sandbox.state.compare import Difference, is_same
from gpucluster.sandbox.state.damage import differences

_NONE: Final = "nothing"


@dataclass(frozen=True, kw_only=True)
class Drifted:
    """One difference. what: deleted, changed, added or removed. path: of the property; empty if the resource was
    deleted.
    """

    stack: str
    what: str
    type: str
    name: str
    id: str
    path: str = ""
    was: Any = None
    now: Any = None

    def line(self) -> str:
        """The difference as text."""
        thing = f"{self.what:<8} {self.type} {self.name} ({self.id})"
        if not self.path:
            return thing
        values = (_NONE if value is None else json.dumps(value) for value in (self.was, self.now))
        return f"{thing}: {self.path} {' -> '.join(values)}"


@click.command()
@stack_option("Stack to check.  [default: all of the project]")
@form_of("table", "json")
def drift(stack: str | None, form: str) -> None:
    """Show what changed behind Pulumi's back.

    Compares the simulated clouds with the state, property by property, and changes nothing. Exit code 1 if they
    differ: `gpucluster sandbox pulumi refresh` writes the changes to the state, and the next `up` restores what the
    program declares.
    """
    project = current_project()
    compared = differences(project)
    if stack is not None and stack not in {one.stack for one in compared}:
        stacks.refuse_unknown(project, stack)
    found = drifted(compared, project.store.existing())
    found = [one for one in found if stack in (None, one.stack)]
    if form == "json":
        click.echo(json.dumps({"schema_version": 1, "drift": [asdict(one) for one in found]}, indent=2))
    else:
        before = ""
        for one in found:
            if one.stack != before:
                click.echo(plain(one.stack))
            before = one.stack
            click.echo(f"  {plain(one.line())}")
        click.echo(_NEXT if found else "No drift: state and clouds agree.")
    sys.exit(1 if found else 0)


_NEXT: Final = (
    "\ngpucluster sandbox pulumi refresh writes this to the state; the next up restores what the program declares."
)


def drifted(found: list[Difference], entries: list[Entry]) -> list[Drifted]:
    """Every property that differs between state and clouds, and every resource missing from the clouds."""
    return [one for difference in found for one in _of_stack(difference, entries)]


def _of_stack(difference: Difference, entries: list[Entry]) -> Iterator[Drifted]:
    there = {(entry.type, entry.id, entry.urn): entry for entry in entries}
    for resource in difference.ghosts:
        yield _drifted(difference.stack, resource, what="deleted")
    for resource in difference.changed:
        entry = there.get((str(resource["type"]), str(resource.get("id")), str(resource["urn"])))
        outputs = mapping(to_wire(entry.outputs if entry is not None else {}))
        changes = list(_changes(mapping(resource.get("outputs")), outputs, ""))
        repeated = {other for path, _, _ in changes for other in REPEATED.get(path.split(".")[0], ())}
        for path, was, now in changes:
            if path.split(".")[0] not in repeated:
                what = "added" if was is None else "removed" if now is None else "changed"
                yield _drifted(difference.stack, resource, what=what, path=path, was=was, now=now)


def _drifted(
    stack: str, resource: Mapping[str, Any], *, what: str, path: str = "", was: Any = None, now: Any = None
) -> Drifted:
    name = urn_name(str(resource["urn"]))
    id_ = str(resource.get("id"))
    return Drifted(stack=stack, what=what, type=str(resource["type"]), name=name, id=id_, path=path, was=was, now=now)


def _changes(was: Any, now: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """The deepest values that differ, by path; encrypted values are ignored."""
    if is_same(was, now):
        return
    if is_object(was) and is_object(now):
        for key in sorted({*was, *now}):
            yield from _changes(was.get(key), now.get(key), f"{path}.{key}" if path else key)
    elif is_list(was) and is_list(now) and len(was) == len(now):
        for at, (old, new) in enumerate(zip(was, now, strict=True)):
            yield from _changes(old, new, f"{path}.{at}")
    else:
        yield path, was, now
