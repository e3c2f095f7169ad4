"""The lines of an estimate to compare with a bill, and those without a price."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine


@dataclass(frozen=True, kw_only=True)
class Planned:
    """quantity, price: units per month and USD per unit, None if the estimate knows none. purchase, term: the purchase
    option. reservation, block_days: the id of the capacity that a line pays for, and the length of a block; empty and 0
    if the plan does not tell.
    """

    urn: str
    part: str
    name: str
    provider: str
    region: str
    sku: str
    unit: str
    purchase: str
    term: str
    quantity: Decimal | None
    price: Decimal | None
    reservation: str = ""
    block_days: Decimal = Decimal(0)

    @property
    def machines(self) -> Decimal:
        """Machines of a line of machines."""
        return (self.quantity or Decimal(0)) / HOURS_PER_MONTH


def planned_lines(estimate: Estimate) -> tuple[Planned, ...]:
    """Every line that pays for itself, and every unpriced item with a known name in the book."""
    priced = (
        Planned(
            urn=line.urn, part=line.part, name=line.name, provider=line.provider, region=line.region, sku=line.sku,
            unit=line.unit, purchase=line.purchase, term=line.term, quantity=line.quantity, price=line.unit_price,
            reservation=line.reservation, block_days=_block_days(line),
        )
        for line in estimate.lines
        if not line.paid_by
    )  # fmt: skip
    return (*priced, *_without_price(estimate))


def _block_days(line: CostLine) -> Decimal:
    return round(line.upfront / (line.machines * line.unit_price * 24), 2) if line.upfront else Decimal(0)


def _without_price(estimate: Estimate) -> Iterator[Planned]:
    for item in estimate.not_priced:
        if item.own_row:
            provider, region, sku, unit, purchase, term = item.own_row.split(",")[:6]
            yield Planned(
                urn=item.urn, part=item.part, name=sku, provider=provider, region=region, sku=sku, unit=unit,
                purchase=purchase, term=term, quantity=None, price=None,
            )  # fmt: skip


@dataclass(frozen=True)
class Window:
    """The days of a bill, from the start of the first to the start of the day after the last."""

    start: datetime
    end: datetime

    @property
    def hours(self) -> Decimal:
        """Hours from start to end."""
        return Decimal((self.end - self.start) // timedelta(seconds=1)) / 3600

    def months(self, unit: str) -> Decimal:
        """Months of the estimate in the window: 730 hours for hourly items, else calendar months, whose length clouds
        use to prorate monthly items.
        """
        return self.hours / HOURS_PER_MONTH if unit.endswith("hour") else self._calendar()

    def _calendar(self) -> Decimal:
        months, day = Decimal(0), self.start
        while day < self.end:
            days = calendar.monthrange(day.year, day.month)[1]
            first = day.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            month = timedelta(days=days)
            until = first + month if self.end - first > month else self.end  # no day follows the year 9999
            months += Decimal((until - day) // timedelta(seconds=1)) / (days * 86400)
            day = until
        return months
