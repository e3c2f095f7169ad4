"""Whole machines by the hour, whatever the cloud and whoever starts them."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from gpucluster.catalog.sold import hard_to_get, not_sold
from gpucluster.cost.machine_price import of_an_hour, published
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.pricing import CannotPrice, Pricing

_WORDS: Final = {
    "on_demand": "on demand",
    "flex_start": "flex-start",
    "dws_calendar": "calendar mode",
    "reserved": "committed use",
    "savings_plan": "savings plan",
}
ALL_MONTH: Final = frozenset({"reserved", "savings_plan", "capacity_block", "dws_calendar"})
"""Ways to buy that are paid for whether the machine runs or not."""

_AZURE_WORDS: Final = {**_WORDS, "reserved": "reservation"}


def purchase_words(provider: str, purchase: str) -> str:
    """A way to buy as the cloud itself calls it."""
    names = _AZURE_WORDS if provider == "azure" else _WORDS
    return names.get(purchase, purchase.replace("_", " "))


def plain(number: Decimal) -> str:
    """A number without exponent or trailing zeros."""
    return f"{number.normalize():f}"


def machine_price(item: Pricing, machine: str, purchase: str, term: str = "", *, region: str | None = None) -> Price:
    """The price of a machine bought in this way; where it has none, what stands for it, as `Pricing.find` says.

    A sum of parts may be known of a machine that nobody can buy so: it is refused before it is looked up. Raises
    CannotPrice then, and where there is neither price nor bound.
    """
    reason = not_sold(machine, purchase)
    if reason is not None:
        raise CannotPrice(reason)
    found = published(item.book, item.provider, region or item.region, machine, purchase, term)
    if isinstance(found, NotKnown):
        return item.price(machine, "instance-hour", purchase, term, region=region)
    return of_an_hour(found, machine)


def machine_hours(
    item: Pricing, machine: str, count: Count, price: Price, *, autoscaled: bool = False, assumption: str = ""
) -> CostLine:
    """Machines running all month, as many as `count` says; `autoscaled` leaves the number out of the line's name."""
    row = price.row
    each = HOURS_PER_MONTH if row.purchase in ALL_MONTH else item.assumptions.hours_per_month
    said = item.assumptions.said("hours_per_month") if each != HOURS_PER_MONTH else ""
    hours = count.times(each)
    assumption = "; ".join(filter(None, [assumption, said, hard_to_get(machine, row.purchase)]))
    words = f"{machine} {purchase_words(item.provider, row.purchase)}{f' {row.term}' if row.term else ''}"
    return item.line(
        f"{words}, autoscaled" if autoscaled else f"{plain(count.expected)} x {words}",
        hours.expected,
        price,
        basis=f"{plain(count.expected)} x {plain(each)} h",
        assumption=assumption,
        floor=hours.floor,
        ceiling=hours.ceiling,
        billed=each,
    )
