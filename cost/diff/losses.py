"""Deletions and replacements that cost does not show: lost data and capacity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from gpucluster.catalog.holdings import RESERVED_CAPACITY, SHARED_STORAGE, SINGLE_DISK, holdings
from gpucluster.cost.model import CostLine
from gpucluster.program.readers.ended import Ended
from gpucluster.program.resources import urn_name, urn_type

__all__ = ["Loss", "losses"]

RESERVED_MACHINES: Final = "machines in a reservation"


@dataclass(frozen=True, slots=True)
class Loss:
    """One resource with data or reserved machines that does not stay as it is.

    what: `storage`, `reserved capacity`, or `machines in a reservation`.
    how: `not in the new file` where that file is a state, which has no steps to say more.
    monthly: USD a month that it cost before; zero too where it has no price.
    """

    urn: str
    what: str
    how: Literal["deleted", "replaced", "not in the new file"]
    monthly: Decimal
    because: tuple[str, ...] = ()
    retained: bool = False

    @property
    def type(self) -> str:
        """Type token."""
        return urn_type(self.urn)

    @property
    def name(self) -> str:
        """Logical name."""
        return urn_name(self.urn)

    @property
    def outcome(self) -> str:
        """What happens, in words, without the resource's name and what forces it."""
        if self.retained:
            return f"{self.what}: {self.how} in the stack, but kept and billed in the cloud (retainOnDelete)"
        billed = ", still billed" if self.what == RESERVED_MACHINES else ""
        return f"{self.what}{billed}: {self.how}"


def losses(
    old: Mapping[str, Sequence[CostLine]], gone: Iterable[str], ended: Iterable[Ended], *, steps: bool
) -> tuple[Loss, ...]:
    """What is lost, by URN.

    old: URN -> lines before. gone: URNs of the old file alone. ended: what the steps of the new file end. steps:
    whether the new file has steps; they then say everything, and what is gone merely never came to be.
    """
    found = [
        Loss(item.urn, what, item.how, _sum(old.get(item.urn, ())), item.because, item.retained)
        for item in ended
        if (what := _what(item.urn, old))
    ]
    if not steps:
        found += [
            Loss(urn, what, "not in the new file", _sum(old.get(urn, ()))) for urn in gone if (what := _what(urn, old))
        ]
    return tuple(sorted(found, key=lambda item: item.urn))


def _what(urn: str, old: Mapping[str, Sequence[CostLine]]) -> str:
    """What would be lost with a resource, empty where that is nothing but money."""
    holding = holdings().get(urn_type(urn))
    if holding is not None and holding.holds in (SHARED_STORAGE, SINGLE_DISK):
        return "storage"
    if holding is not None and holding.holds == RESERVED_CAPACITY:
        return RESERVED_CAPACITY
    reserved = any(line.spend == "committed-elsewhere" or line.paid_by for line in old.get(urn, ()))
    return RESERVED_MACHINES if reserved else ""


def _sum(lines: Iterable[CostLine]) -> Decimal:
    return sum((line.monthly for line in lines), Decimal(0))
