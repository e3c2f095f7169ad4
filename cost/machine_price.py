"""What an hour of a machine costs, for tools that tell the cost of time."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.prices import NotKnown, Price, PriceBook

__all__ = ["machine_price", "machine_prices"]

_UNIT = "instance-hour"


def machine_price(cloud: str, region: str, machine_type: str, purchase: str = "on_demand") -> Price | NotKnown:
    """USD per hour of one machine, bought as the price book calls it. Raises BadPrices when the user's own prices
    cannot be used.
    """
    return PriceBook.in_use().lookup(cloud, region, machine_type, purchase, unit=_UNIT)


def machine_prices(cloud: str, region: str) -> Iterator[tuple[str, Price]]:
    """Every machine type that has a price on demand in a region, by name, with it. Raises BadPrices as above."""
    book = PriceBook.in_use()
    rows = (*book.own, *book.rows(cloud))
    names = {row.sku for row in rows if (row.provider, row.region, row.unit) == (cloud, region, _UNIT)}
    for name in sorted(names):
        found = book.lookup(cloud, region, name, unit=_UNIT)
        if isinstance(found, Price):
            yield name, found
