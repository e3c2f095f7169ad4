"""The tables of permissions: for each resource type, those required to create, read, change and delete it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TextIO, cast

import click

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import Row, read_rows
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resources
from gpucluster.core.text.json_text import indented
from gpucluster.errors import Exit
from gpucluster.options import output, plan_argument

Rights = tuple[str, ...]
"""Actions or roles, in their cloud's terms."""


@cache
def rights_in(table: str) -> Mapping[str, Rights]:
    """Type -> its permissions. table: file in this folder, without its extension; its column `source` lists their
    sources.
    """
    return {row["type"]: _words(row) for row in read_rows(f"gpucluster/operate/account/rights/{table}.csv")}


def _words(row: Row) -> Rights:
    columns = [column for column in row if column not in ("type", "source")]
    return tuple(sorted({word for column in columns for word in row[column].split()}))


class _Cloud(Protocol):
    """PACKAGE: the prefix of its provider's types."""

    PACKAGE: str

    def rights_of(self, type_: str, /) -> Rights | None: ...

    def document(self, types: Mapping[str, Rights], plan: Resources, /) -> Any: ...


@dataclass(frozen=True, kw_only=True)
class _Documents:
    """clouds: by name, the document for each. unknown: types of a cloud whose permissions no known source lists."""

    clouds: Mapping[str, Any]
    unknown: tuple[str, ...]


def _documents_of(plan: Resources) -> _Documents:
    """The permissions to create, read, change and delete the resources of a plan."""
    documents: dict[str, Any] = {}
    unknown: list[str] = []
    for name in clouds():
        cloud = cast(_Cloud, importlib.import_module(f"gpucluster.operate.account.rights.{name}"))
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
    """Write the minimal permissions that `pulumi up` needs.

    In the form of each cloud: policies, all for one role; predefined roles, with the types that need each; or a role
    definition. They allow `up` to create, read, change and delete every type of the plan, and nothing else. The
    cluster grants rights inside of the cluster (docs/run/access.md).

    Exit code 1: the permissions of some types are unknown; the output lists them.
    """
    found = _documents_of(read_text(file.read(), "stdin" if file.name == "<stdin>" else file.name))
    output.write(indented({**found.clouds, "unknown": list(found.unknown)}))
    for type_ in found.unknown:
        click.echo(f"unknown permissions of {type_}; find them out, and allow them too", err=True)
    if found.unknown:
        raise SystemExit(Exit.FINDINGS)
