"""Losses of data and capacity by deletions and replacements, which cost does not show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from gpucluster.core.catalog.resource_types import RESERVED_CAPACITY, SHARED_STORAGE, SINGLE_DISK, holdings
from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.resources import urn_name, urn_type
from gpucluster.cost.pricing.model import CostLine

__all__ = ["Loss", "losses"]

RESERVED_MACHINES: Final = "machines in a reservation"


@dataclass(frozen=True, slots=True)
class Loss:
    """One resource with data or reserved machines that is not kept unchanged.

    what: `storage`, `reserved capacity`, or `machines in a reservation`.
    how: `not in the new file` if that file is a state, which has no steps with details.
    monthly: USD per month that it cost before; also zero if it has no price.
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
        """The outcome as text, without the resource's name and the property that forces it."""
        if self.retained:
            return f"{self.what}: {self.how} in the stack, but kept and billed in the cloud (retainOnDelete)"
        billed = ", still billed" if self.what == RESERVED_MACHINES else ""
        return f"{self.what}{billed}: {self.how}"


def losses(
    old: Mapping[str, Sequence[CostLine]], gone: Iterable[str], ended: Iterable[Deletion], *, steps: bool
) -> tuple[Loss, ...]:
    """The losses, by URN.

    old: URN -> lines before. gone: URNs only in the old file. ended: resources that steps of the new file end. steps:
    whether the new file has steps; they are then complete, and resources in `gone` were never created.
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
    """The kind of loss if a resource is deleted, empty if only money is affected."""
    holding = holdings().get(urn_type(urn))
    if holding is not None and holding.holds in (SHARED_STORAGE, SINGLE_DISK):
        return "storage"
    if holding is not None and holding.holds == RESERVED_CAPACITY:
        return RESERVED_CAPACITY
    reserved = any(line.spend == "committed-elsewhere" or line.paid_by for line in old.get(urn, ()))
    return RESERVED_MACHINES if reserved else ""


def _sum(lines: Iterable[CostLine]) -> Decimal:
    return sum((line.monthly for line in lines), Decimal(0))
