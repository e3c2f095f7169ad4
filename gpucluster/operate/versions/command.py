"""`gpucluster versions`: every pinned version, and what is behind or out of support."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal

import click
from pydantic import Field

from gpucluster.core.documents.document import Document, Notes, Row, Section, Table, counted
from gpucluster.core.documents.formats import write
from gpucluster.core.documents.model import Model, command_schema
from gpucluster.operate.versions.pins import Pin, pins
from gpucluster.operate.versions.running_versions import SERVICES
from gpucluster.options import form_of


class Version(Model):
    kind: str = Field(description="kubernetes, add-on, chart, package, program or image")
    name: str
    version: str | None = Field(description="in use; null if not installed, or chosen by EKS")
    newest: str = Field(description="the newest known one")
    released: datetime.date | None = Field(description="of the newest one")
    behind: bool
    stays: str | None = Field(description="why a newer one is not in use")
    support: Literal["standard", "extended", "none", "not known"]
    support_ends: datetime.date | None = Field(description="last day of standard support of the version in use")
    source: str
    as_of: str = Field(description="day on which nothing newer was known")


class Versions(Model):
    """Result of `gpucluster versions --format json`."""

    schema_version: Literal[1] = 1
    today: datetime.date
    versions: list[Version]


def versions_schema() -> dict[str, Any]:
    """Its JSON Schema."""
    return command_schema(Versions, "versions")


@click.command()
@form_of("table", "json")
def versions(form: str) -> None:
    """List pinned versions, newer ones, and what is out of support.

    Kubernetes of each cloud, EKS add-ons, charts, Pulumi's packages, the programs of the sandbox and images; with the
    day of each look-up, and why a newer one is not in use. Needs no account and no network.
    """
    write(document(pins(), datetime.datetime.now(datetime.UTC).date()), form, sys.stdout)


def document(found: Sequence[Pin], today: datetime.date) -> Document:
    """today: for support."""

    def model() -> Versions:
        return Versions(today=today, versions=[_version(one, today) for one in found])

    return Document(title="", sections=lambda: _sections(found, today), model=model)


def _version(one: Pin, today: datetime.date) -> Version:
    newest = one.newest
    return Version(
        kind=one.kind,
        name=one.name,
        version=one.version or None,
        newest=newest.version,
        released=newest.released,
        behind=one.behind,
        stays=newest.stays or None,
        support=one.support(today),  # pyright: ignore[reportArgumentType]
        support_ends=one.ends,
        source=newest.source,
        as_of=newest.as_of,
    )


_KINDS = {
    "kubernetes": "Kubernetes",
    "add-on": "Add-ons of EKS",
    "chart": "Helm charts",
    "package": "Python packages",
    "program": "Programs of the sandbox",
    "image": "Images",
}


def _sections(found: Sequence[Pin], today: datetime.date) -> Iterator[Section]:
    rows: list[Row] = []
    for kind, group in groupby(found, key=lambda one: one.kind):
        rows.append(Row([_KINDS[kind], "", "", ""], strong=True))
        rows += [_row(one, today) for one in group]
    yield Table(heads=("", "in use", "newer", "looked up"), rows=rows, left=range(4), across=True)
    behind = [one for one in found if one.behind]
    ended = [one for one in found if one.support(today) not in ("standard", "not known")]
    yield f"{counted(len(found), 'version')}: {len(behind)} behind, {len(ended)} out of standard support on {today}"
    if behind:
        names: dict[str, dict[str, None]] = {}  # a chart and its program have one name
        for one in behind:
            names.setdefault(one.newest.stays or "not in use yet", {})[_name(one)] = None
        yield Notes("Why newer ones are not in use", [f"{', '.join(of)}: {why}" for why, of in names.items()])


def _row(one: Pin, today: datetime.date) -> Row:
    support = one.support(today)
    newer = one.newest.version if one.behind or not one.version else ""
    texts = {
        "standard": f"supported until {one.ends}",
        "extended": f"standard support ended on {one.ends}",
        "none": f"support ended on {one.known and (one.known.extended_ends or one.ends)}",
    }
    return Row(
        [_name(one), one.version.removeprefix("v") or "-", newer.removeprefix("v"), one.newest.as_of],
        below=[texts[support]] if support in texts else (),
        bad=support in ("none", "extended"),
    )


def _name(one: Pin) -> str:
    """Short: the last part of an image or module that names it."""
    return SERVICES.get(one.name, re.sub(r"(/pkg|/server)?/v\d+$", "", one.name).rpartition("/")[2])
