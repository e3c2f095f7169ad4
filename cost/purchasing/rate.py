"""Rates of machines by purchase option, and user settings: utilisation, spot behaviour, coverage."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from decimal import Decimal

from gpucluster.core.catalog.machines import hard_to_get, not_sold
from gpucluster.cost.prices import NotKnown, Price, PriceBook, PriceRow
from gpucluster.cost.prices.lookup import price_or_bound
from gpucluster.cost.prices.row import is_fresh
from gpucluster.cost.pricing.plan_prices import UNITS, of_an_hour, published
from gpucluster.cost.purchasing.purchase_options import PurchaseOption


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Assumptions of a comparison; each is printed with the result.

    days: duration in days that machines are needed for; None uses the duration from the components.
    utilisation: share of its hours in which a GPU does useful work, 0 to 1.
    cover: share of a co-located pool that a commitment covers, 0 to 1; the rest stays on-demand.
    interruption_rate: share of spot nodes reclaimed per hour; None uses the published rate of a machine.
    checkpoint_hours: hours between two checkpoints; half an hour is the example of a course.
    restart_hours: paid hours from an interruption until the job runs again; our default, change it as needed.
    baseline: machines of an elastic pool under a commitment; None uses the whole ones that run on average.
    spot_share: share of the machines above the baseline that is spot in a mix.
    """

    days: Decimal | None = None
    utilisation: Decimal = Decimal(1)
    cover: Decimal = Decimal(1)
    interruption_rate: Decimal | None = None
    checkpoint_hours: Decimal = Decimal("0.5")
    restart_hours: Decimal = Decimal("0.25")
    baseline: Decimal | None = None
    spot_share: Decimal = Decimal("0.7")


@dataclass(frozen=True, slots=True)
class Rate:
    """USD per hour of one machine, amortised, and its price, which may be per GPU.

    remark: known objections to it, empty without any.
    """

    usd: Decimal
    price: Price
    remark: str = ""

    @property
    def row(self) -> PriceRow:
        """Its row of the price book."""
        return self.price.row

    @property
    def rankable(self) -> bool:
        """Whether it is more than a second opinion."""
        return self.price.rankable


@dataclass(frozen=True, slots=True)
class NoRate:
    """No price. own_row: the beginning of the user's price row for it; empty if the machine is not sold this way.

    ends: stand-in rates at the lower and upper bound from other regions; None without bounds. They are in no row and no
    ranking.
    """

    reason: str
    own_row: str = ""
    ends: tuple[Rate, Rate] | None = None


def rate_of(book: PriceBook, region: str, machine: str, way: PurchaseOption) -> Rate | NoRate:
    """The rate of a machine type in a region."""
    refused = not_sold(machine, way.purchase)
    if refused is not None:
        return NoRate(refused)
    found = published(book, way.provider, region, machine, way.purchase, way.term)
    if isinstance(found, NotKnown):
        return NoRate(found.reason, found.row, _ends(book, region, machine, way))
    against = (hard_to_get(machine, way.purchase), _old(found.row, book.today) if way.purchase == "spot" else "")
    return Rate(of_an_hour(found, machine).usd, found, "; ".join(filter(None, against)))


def _ends(book: PriceBook, region: str, machine: str, way: PurchaseOption) -> tuple[Rate, Rate] | None:
    for unit in UNITS:
        found = price_or_bound(book, way.provider, region, machine, way.purchase, way.term, unit=unit)
        if isinstance(found, Price) and found.instead_of is not None and found.instead_of.bound is not None:
            bound = found.instead_of.bound
            low, high = (
                Rate(of_an_hour(at, machine).usd, at, bound.rule)
                for at in (
                    replace(found, row=replace(found.row, usd_per_unit=end)) for end in (bound.least, bound.most)
                )
            )
            return low, high
    return None


def _old(row: PriceRow, today: datetime.date) -> str:
    if not row.as_of:  # the user's own
        return ""
    return "" if is_fresh(row.as_of, today) else f"the price is from {row.as_of}; spot prices change daily"
