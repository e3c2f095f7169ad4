"""Resource types that are not charged themselves, each with its source: `free.csv`.

A type may be a pattern of several: a service that is free whole, such as `aws:iam/*`. `kubernetes:GROUP/*` is every
kind of an API group: Kubernetes' own, and those of controllers that create nothing outside the cluster on their own.
Any other group may create cloud resources, so it is not assumed free. `PACKAGE:*` is a package that creates values in
the state and nothing in a cloud.

Columns: type token; output with the state, if the provider has one, and its failed states; complete: an output that the
provider reads only after a creation that succeeds, of types without another sign of a creation that failed; what failed
means and the next step, with the placeholders {pulumi}, {urn} and {id}; source.

Sources of a resource's region other than its inputs: `regions_from.csv`, for each cloud in order of precedence.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final, Literal

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import rows


@cache
def free_reason(type_: str) -> tuple[str, str] | None:
    """(why, source) of a free type, None if no source says so."""
    found = free_types()
    return found.get(type_) or next((found[pattern] for pattern in _patterns() if fnmatchcase(type_, pattern)), None)


@cache
def _patterns() -> tuple[str, ...]:
    return tuple(name for name in free_types() if "*" in name)


@functools.cache
def free_types() -> Mapping[str, tuple[str, str]]:
    """Every free type by name, including whole groups and packages -> (why, source)."""
    return {row["type"]: (row["why"], row["source"]) for row in rows("free")}


SHARED_STORAGE: Final = "shared storage"
SINGLE_DISK: Final = "single disk"
RESERVED_CAPACITY: Final = "reserved capacity"
CONTROL_PLANE: Final = "control plane"
NODE_POOL: Final = "node pool"
CONTENTS: Final = "everything inside"
ENCRYPTION_KEY: Final = "encryption key"


@dataclass(frozen=True, kw_only=True)
class Holding:
    """One row of the table. size, end: inputs with how much it holds, and until when."""

    holds: str
    lost_on: tuple[str, ...]
    only_if: str | None
    size: tuple[str, ...]
    end: str | None


@functools.cache
def holdings() -> Mapping[str, Holding]:
    """Type token -> holdings of a resource of that type, on every cloud."""
    return {
        row["type"]: Holding(
            holds=row["holds"],
            lost_on=tuple(row["lost_on"].split()),
            only_if=row["only_if"] or None,
            size=tuple(filter(None, row["size"].split("."))),
            end=row["end"] or None,
        )
        for row in rows("holdings")
    }


@dataclass(frozen=True, kw_only=True)
class FailedState:
    """output: name of the state's output, empty if the provider has none. states: those that are failures. complete: an
    output that is missing after a creation that failed, empty if another sign of it exists.
    """

    output: str
    states: frozenset[str]
    complete: str
    meaning: str
    next: str

    def advice(self, urn: str, id_: str, *, sandbox: bool) -> str:
        """What it means and what to type. sandbox: whether the clouds are simulated."""
        pulumi = "gpucluster sandbox pulumi" if sandbox else "pulumi"
        return f"{self.meaning}. Next: {self.next}".format(pulumi=pulumi, urn=urn, id=id_)


@functools.cache
def failed_states() -> Mapping[str, FailedState]:
    """By type token."""
    return {
        row["type"]: FailedState(
            output=row["output"],
            states=frozenset(row["states"].split("|")) - {""},
            complete=row["complete"],
            meaning=row["meaning"],
            next=row["next"],
        )
        for row in rows("failed_states")
    }


_From = Literal["option", "environment", "output"]


def package_of_region(region: str) -> str | None:
    """The package of the cloud with this format of regions; None without a match."""
    return next(_packages(region), None)


def region_of_environment(package: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """(region, its variable) for a package's default provider; None if no variable is set."""
    return next(_region_values(package, "environment", environ), None)


def region_of_outputs(package: str, outputs: Mapping[str, Any]) -> str | None:
    """The region in a resource's outputs; None if missing."""
    return next((region for region, _ in _region_values(package, "output", outputs)), None) if outputs else None


def _packages(region: str) -> Iterator[str]:
    for cloud in clouds().values():
        if any(re.fullmatch(pattern, region) for _, pattern in _sources(cloud.package, "option")):
            yield cloud.package


def _region_values(package: str, kind: _From, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, pattern in _sources(package, kind):
        value = values.get(name)
        if isinstance(value, str) and (found := re.fullmatch(pattern, value)):
            yield found[1], name


@cache
def _sources(package: str, kind: _From) -> tuple[tuple[str, str], ...]:
    names = {cloud.name for cloud in clouds().values() if cloud.package == package}
    return tuple(
        (row["name"], row["pattern"]) for row in rows("regions_from") if row["cloud"] in names and row["from"] == kind
    )
