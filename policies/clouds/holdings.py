"""What is lost when a resource goes, by the table `holdings.csv` of each cloud.

Columns: `type` token; what it `holds`; the changes it is `lost_on`; the flag that must be set for the loss (`only_if`),
else the cloud refuses the deletion; `source`.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.policies.changes import Changes
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.readers.ended import Ended
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import flag

__all__ = [
    "CONTROL_PLANE",
    "NODE_POOL",
    "RESERVED_CAPACITY",
    "SHARED_STORAGE",
    "Holding",
    "holdings",
    "losses",
    "types",
]

SHARED_STORAGE: Final = "shared storage"
RESERVED_CAPACITY: Final = "reserved capacity"
CONTROL_PLANE: Final = "control plane"
NODE_POOL: Final = "node pool"


@dataclass(frozen=True, kw_only=True)
class Holding:
    """One row of a table."""

    holds: str
    lost_on: tuple[str, ...]
    only_if: str | None


@functools.cache
def holdings() -> Mapping[str, Holding]:
    """Type token -> what a resource of that type holds, on every cloud."""
    found: dict[str, Holding] = {}
    for table in sorted(Path(__file__).parent.glob("*/holdings.csv")):
        with table.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                lost_on = tuple(row["lost_on"].split())
                found[row["type"]] = Holding(holds=row["holds"], lost_on=lost_on, only_if=row["only_if"] or None)
    return found


def types(holds: str) -> str:
    """The types that hold it, for `reads` of a rule."""
    return ", ".join(type_ for type_, holding in holdings().items() if holding.holds == holds)


def losses(changes: Changes, holds: str) -> Iterator[tuple[Resource, Finding]]:
    """Each resource with which what `holds` says is lost, and what is found. What the cloud keeps is no loss.

    Where only a replacement is one, a deletion counts when the same plan makes a resource of the same type: a new name
    without an alias does that.
    """
    for ended, old in changes.gone():
        holding = holdings().get(old.type)
        if holding is None or holding.holds != holds or ended.retained:
            continue
        what = _what(ended, changes, holding)
        if what is None:
            continue
        forced = True if holding.only_if is None else _set(old, holding.only_if)
        if forced is UNKNOWN:
            yield old, CannotTell(old, f"{what}; whether `{holding.only_if}` is set is not known")
        elif forced:
            yield old, Violation(old, what)


def _set(old: Resource, name: str) -> object:
    """The flag as the provider will read it: from the state, where the inputs do not say."""
    own = flag(old.inputs, name)
    return flag(old.outputs, name) if own is None else own


def _what(ended: Ended, changes: Changes, holding: Holding) -> str | None:
    if ended.how == "replaced":
        because = f", because of {', '.join(f'`{reason}`' for reason in ended.because)}" if ended.because else ""
        return f"{holding.holds} is replaced{because}"
    if "delete" in holding.lost_on:
        return f"{holding.holds} is deleted"
    made = changes.made(ended.type)
    return f"{holding.holds} is deleted, and `{made.name}` made in its place" if made else None
