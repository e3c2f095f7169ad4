"""Matches a charge to a line of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.cost.bills.charges import Charge
from gpucluster.cost.bills.ours import Ours, tags_of
from gpucluster.cost.bills.planned import Planned
from gpucluster.cost.bills.recognise import count_of, has_words
from gpucluster.cost.bills.tables import factor
from gpucluster.program.resources import Resources, urn_name


@dataclass(frozen=True)
class Match:
    """quantity: in the line's units; 0 for a charge that only adds to its cost, None for an unknown unit."""

    line: Planned
    quantity: Decimal | None


class Matcher:
    """The lines of one stack."""

    def __init__(self, lines: Sequence[Planned], resources: Resources, ours: Ours) -> None:
        self._lines = lines
        self._resources = resources
        self._ours = ours
        self._parts = {line.part for line in lines}

    def mine(self, charge: Charge) -> bool:
        """Whether a charge belongs to this stack, by its labels or its id."""
        return self._by_id(charge) is not None or self._ours.holds(tags_of(charge.tags))

    def unmarked(self, charge: Charge) -> bool:
        """Whether nothing identifies the owner of a charge."""
        return not self._ours.labels.keys() & tags_of(charge.tags).keys()

    def of(self, charge: Charge) -> Match | None:
        """The line of a charge: one of its resource, else of its component, else of the stack."""
        urns = self._urns(charge)
        own = [line for line in self._lines if line.urn in urns]
        parts = {self._part(urn) for urn in urns}
        around = [line for line in self._lines if line.part in parts]
        for lines in (own, around, self._lines):
            if found := same_thing(charge, lines):
                return found
        alike = [line for line in own or around if not has_words(line.provider, line.sku, line.unit)]
        alike = [line for line in alike if factor(charge.unit, line.unit) is not None]
        expected = [line for line in alike if line.quantity or line.quantity is None] or alike
        return Match(expected[0], _quantity(charge, expected[0], Decimal(1))) if len(expected) == 1 else None

    def _by_id(self, charge: Charge) -> str | None:
        if self._resources.get(charge.resource) is not None:
            return charge.resource  # a URN, as in `gpucluster cost report --format focus`
        return self._ours.ids.get(charge.resource.lower()) if charge.resource else None

    def _urns(self, charge: Charge) -> frozenset[str]:
        by_id = self._by_id(charge)
        if by_id is not None:
            return frozenset({by_id})
        return self._ours.names.get(tags_of(charge.tags).get("name", ""), frozenset())

    def _part(self, urn: str) -> str:
        """The component around a resource that the estimate shows its lines under."""
        resource = self._resources.get(urn)
        while resource is not None and urn_name(resource.urn) not in self._parts:
            resource = self._resources.get(resource.parent)
        return "" if resource is None else urn_name(resource.urn)


def same_thing(charge: Charge, lines: Iterable[Planned]) -> Match | None:
    """The line of the item that the charge names; if several, one with the same purchase option."""
    found = [
        (line, count) for line in lines if (count := count_of(charge, line.provider, line.sku, line.unit)) is not None
    ]
    if not found:
        return None
    line, count = max(found, key=lambda pair: (_bought_alike(charge, pair[0]), pair[0].quantity or 0))
    return Match(line, _quantity(charge, line, count))


def _bought_alike(charge: Charge, line: Planned) -> bool:
    committed = line.purchase in ("reserved", "savings_plan", "capacity_block", "dws_calendar")
    spot = line.purchase == "spot"
    return bool(charge.commitment) == committed and ("spot" in f"{charge.meter} {charge.description}".lower()) == spot


def _quantity(charge: Charge, line: Planned, count: Decimal) -> Decimal | None:
    """Quantity in units of a line. Discounts, and parts that are not counted, have none."""
    if not count or charge.quantity is None:
        return Decimal(0)
    each = factor(charge.unit, "hour" if line.unit == "instance-hour" else line.unit)
    return None if each is None else charge.quantity * each / count
