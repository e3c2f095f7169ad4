"""The kinds of resources in clouds' inventories: their price type, and the command that removes one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from gpucluster.catalog.rows import read_rows

_OF_AZURE: Final = "az resource delete --ids {whole}"
"""Removes any Azure resource. Source: Azure CLI reference, az resource delete."""


@dataclass(frozen=True)
class Kind:
    """type: Pulumi's, which determines the price; empty if that depends on facts missing in inventories. remove: a
    command, with fields of a Thing.
    """

    type: str
    remove: str


@dataclass(frozen=True, kw_only=True)
class Thing:
    """One resource of an account. kind: in the inventory's terms. whole: its ARN, full name or id. place: its region or
    zone. project: of Google Cloud. inputs: its size as far as the cloud reports it, as inputs of Pulumi's type.
    """

    kind: str
    whole: str
    place: str
    project: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def id(self) -> str:
        """Its id in commands."""
        if self.whole.startswith("arn:"):
            resource = self.whole.split(":", 5)[5]
            # `natgateway/nat-1`, `cluster/NAME`, `log-group:NAME` with slashes in it, or the name of a bucket.
            return re.split("[:/]", resource, maxsplit=1)[-1].removesuffix(":*")
        of_path = self.whole.startswith(("//", "projects/", "/subscriptions/"))
        return self.whole.rsplit("/", 1)[-1] if of_path else self.whole

    @property
    def path(self) -> str:
        """The full name on Google Cloud, without its service."""
        return re.sub("^//[^/]+/", "", self.whole)

    @property
    def region(self) -> str:
        return re.sub("-[a-z]$", "", self.place)


@cache
def _kinds() -> dict[str, Kind]:
    return {row["kind"]: Kind(row["type"], row["remove"]) for row in read_rows("account/leftovers/kinds.csv")}


@cache
def kinds_by_type() -> dict[str, str]:
    """Pulumi's type -> the kind."""
    return {kind.type: name for name, kind in _kinds().items() if kind.type}


def kind_of(thing: Thing) -> Kind:
    """Its kind; without price and command if it is not in the table."""
    return _kinds().get(thing.kind, Kind("", ""))


def removal(thing: Thing) -> str:
    """The command that removes it; empty if unknown."""
    command = kind_of(thing).remove or (_OF_AZURE if thing.whole.startswith("/subscriptions/") else "")
    fields = {name: getattr(thing, name) for name in ("id", "whole", "place", "project", "path", "region")}
    return command.format(**fields)
