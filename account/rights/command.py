"""`gpucluster rights`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, TextIO, cast

import click

from gpucluster.account.rights.table import Rights
from gpucluster.catalog.clouds import clouds
from gpucluster.errors import Exit
from gpucluster.options import output, plan_argument
from gpucluster.program.readers.files import read_text
from gpucluster.program.resources import Resources
from gpucluster.record import record
from gpucluster.textio.json_text import indented


class _Cloud(Protocol):
    """PACKAGE: what the types of its provider begin with."""

    PACKAGE: str

    def rights_of(self, type_: str, /) -> Rights | None: ...

    def document(self, types: Mapping[str, Rights], plan: Resources, /) -> Any: ...


@record(kw_only=True)
class _Documents:
    """clouds: by name, what each takes. unknown: types of a cloud whose rights no source that was read tells."""

    clouds: Mapping[str, Any]
    unknown: tuple[str, ...]


def _documents_of(plan: Resources) -> _Documents:
    """The rights to make, read, change and delete what a plan has."""
    documents: dict[str, Any] = {}
    unknown: list[str] = []
    for name in clouds():
        cloud = cast(_Cloud, importlib.import_module(f"gpucluster.account.rights.{name}"))
        types = sorted({one.type for one in plan if one.custom and one.type.partition(":")[0] == cloud.PACKAGE})
        rights = {type_: cloud.rights_of(type_) for type_ in types}
        known = {type_: found for type_, found in rights.items() if found is not None}
        unknown += [type_ for type_ in types if type_ not in known]
        if known:
            documents[name] = cloud.document(known, plan)
    return _Documents(clouds=documents, unknown=tuple(unknown))


@click.command()
@plan_argument(default="-")
@output
def rights(file: TextIO, output: TextIO) -> None:
    """Write the least rights that `up` needs.

    As each cloud takes it: policies, all for one role; predefined roles, with the types that each is for; or a role
    definition. They let make, read, change and delete every type of the plan, and nothing else. Rights inside of the
    cluster are given by the cluster (docs/access.md).

    Exit code 1: a type whose rights no source tells, which is named.
    """
    found = _documents_of(read_text(file.read(), "stdin" if file.name == "<stdin>" else file.name))
    output.write(indented({**found.clouds, "unknown": list(found.unknown)}))
    for type_ in found.unknown:
        click.echo(f"not known: what {type_} asks for; find it out, and allow it besides", err=True)
    if found.unknown:
        raise SystemExit(Exit.FINDINGS)
