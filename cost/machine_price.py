"""Price of a machine hour, for tools that report the cost of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpucluster.catalog.machines import machines
from gpucluster.cost.prices import NotKnown, Price, PriceBook

_UNIT = "instance-hour"
_BY_GPU = "GPU-hour"

UNITS: Final = (_UNIT, _BY_GPU)
"""Units in which machines are priced."""


def published(
    book: PriceBook, cloud: str, region: str, machine_type: str, purchase: str = "on_demand", term: str = ""
) -> Price | NotKnown:
    """The published price of a machine: per hour, else per hour of one of its GPUs."""
    found = book.lookup(cloud, region, machine_type, purchase, term, unit=_UNIT)
    if isinstance(found, Price) or machine_type not in machines():
        return found
    by_gpu = book.lookup(cloud, region, machine_type, purchase, term, unit=_BY_GPU)
    return by_gpu if isinstance(by_gpu, Price) else found


def of_an_hour(price: Price, machine_type: str) -> Price:
    """The same for the whole machine: a price per GPU times its GPUs."""
    if price.row.unit != _BY_GPU:
        return price
    gpus = machines()[machine_type].gpus
    row = replace(price.row, unit=_UNIT, usd_per_unit=price.usd * gpus)
    return replace(price, row=row, list_usd=None if price.list_usd is None else price.list_usd * gpus)


def machine_price(cloud: str, region: str, machine_type: str, purchase: str = "on_demand") -> Price | NotKnown:
    """USD per hour of one machine; purchase option as in the price book. Raises BadPrices if the user's own prices
    cannot be used.
    """
    return PriceBook.in_use().lookup(cloud, region, machine_type, purchase, unit=_UNIT)


def machine_prices(cloud: str, region: str) -> Iterator[tuple[str, Price]]:
    """Every machine type with an on-demand price in a region, by name, with the price. Raises BadPrices as above."""
    book = PriceBook.in_use()
    names = {row.sku for row in book.in_region(cloud, region) if row.unit == _UNIT}
    for name in sorted(names):
        found = book.lookup(cloud, region, name, unit=_UNIT)
        if isinstance(found, Price):
            yield name, found
