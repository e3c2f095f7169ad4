"""The kinds of resources in clouds' inventories: their price type, and the command that removes one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from gpucluster.core.catalog.tables import read_rows

_OF_AZURE: Final = "az resource delete --ids {whole}"
"""Removes any Azure resource. Source: Azure CLI reference, az resource delete."""

_LATER: Final = 50
"""Order of what is in no table: after machines, before networks."""


@dataclass(frozen=True)
class Kind:
    """type: Pulumi's, which determines the price; empty if that depends on facts missing in inventories. order: of its
    removal, lower first. holder: kind with which it goes. free: why it costs nothing itself, empty if its type decides.
    remove: a command, with fields of a ResourceKind.
    """

    type: str
    order: int
    holder: str
    free: str
    remove: str


@dataclass(frozen=True, kw_only=True)
class ResourceKind:
    """One resource of an account. kind: in the inventory's terms. whole: its ARN, full name or id. place: its region or
    zone. project: of Google Cloud. inputs: its size as far as the cloud reports it, as inputs of Pulumi's type. free:
    why this one costs nothing. held: `whole` of what it is removed with.
    """

    kind: str
    whole: str
    place: str
    project: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    free: str = ""
    held: str = ""

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
    def parts(self) -> list[str]:
        """The parts of an id such as `CLUSTER/GROUP`, or of a path."""
        return (self.id if self.whole.startswith("arn:") else self.path).split("/")

    @property
    def path(self) -> str:
        """The full name on Google Cloud, without its service."""
        return re.sub("^//[^/]+/", "", self.whole)

    @property
    def region(self) -> str:
        return re.sub("-[a-z]$", "", self.place)


@cache
def _kinds() -> dict[str, Kind]:
    return {
        row["kind"]: Kind(row["type"], int(row["order"]), row["holder"], row["free"], row["remove"])
        for row in read_rows("gpucluster/operate/account/kinds.csv")
    }


@cache
def kinds_by_type() -> dict[str, str]:
    """Pulumi's type -> the kind."""
    return {kind.type: name for name, kind in _kinds().items() if kind.type}


def order_of(type_: str) -> int:
    """Of the removal of a resource of Pulumi's type."""
    return _kinds()[kind].order if (kind := kinds_by_type().get(type_)) else _LATER


def kind_of(thing: ResourceKind) -> Kind:
    """Its kind; without price and command if it is not in the table."""
    return _kinds().get(thing.kind, Kind("", _LATER, "", "", ""))


def removal(thing: ResourceKind) -> str:
    """The command that removes it; empty if unknown."""
    command = kind_of(thing).remove or (_OF_AZURE if "/providers/" in thing.whole else "")
    fields = {name: getattr(thing, name) for name in ("id", "whole", "place", "project", "path", "parts", "region")}
    return command.format(**fields)
