"""Price of a machine hour, for tools that report the cost of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.machines import machines
from gpucluster.cost.prices import NotKnown, Price, PriceBook
from gpucluster.cost.pricing.cloud_parts import part_of

__all__ = [
    "UNITS",
    "machine_price",
    "machine_prices",
    "machine_usd",
    "machines_usd",
    "of_an_hour",
    "own_machine_usd",
    "published",
    "storage_name",
    "storage_price",
    "storage_price_in_other_regions",
]


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
    """Every machine type with an on-demand price in a region, by name, with the price: no machines of databases, caches
    and other services. A user's own price has no kind unless the book has one for it. Raises BadPrices as above.
    """
    book = PriceBook.in_use()
    rows = [row for row in book.in_region(cloud, region) if row.unit == _UNIT]
    names = {row.sku for row in rows if row.kind in ("compute", "")} - {
        row.sku for row in rows if row.kind not in ("compute", "")
    }
    for name in sorted(names):
        found = book.lookup(cloud, region, name, unit=_UNIT)
        if isinstance(found, Price):
            yield name, found


def storage_name(cloud: str, tier: int) -> str | None:
    """The price book's name of a cloud's parallel file system with so many MB/s per TiB; None if it has none."""
    named: Callable[[int], str] | None = part_of(cloud, "storage_name")
    return None if named is None else named(tier)


def storage_price(cloud: str, region: str, tier: int) -> Decimal | None:
    """USD per GiB-month of SSD storage with `tier` MB/s per TiB; None without a price that may be ranked.

    Raises BadPrices if the user's own prices cannot be used.
    """
    name = storage_name(cloud, tier)
    if name is None:
        return None
    found = _book().lookup(cloud, region, name, unit="GiB-month")
    return found.usd if isinstance(found, Price) and found.rankable else None


def storage_price_in_other_regions(cloud: str, tier: int) -> Decimal | None:
    """The lowest known `storage_price` in any region of the cloud, else of any other cloud.

    Ranks tiers in regions without a price: the price ratio of a faster to a slower TiB differs little
    between regions. Bills never use it. Raises BadPrices as `storage_price` does.
    """
    others = (name for name in clouds() if name != cloud)
    found = (_least(name, tier) for name in (cloud, *others))
    return next((usd for usd in found if usd is not None), None)


def _least(cloud: str, tier: int) -> Decimal | None:
    name = storage_name(cloud, tier)
    regions = {row.region for row in _book().of_sku(cloud, name)} if name else ()
    known = (storage_price(cloud, region, tier) for region in regions)
    return min((usd for usd in known if usd is not None), default=None)


@cache
def _book() -> PriceBook:
    return PriceBook.in_use()


_BLOCKS: Final = {"aws": "capacity_block", "gcp": "dws_calendar"}
"""The price book's names for capacity blocks; Azure's have no price and count at the machine's own rate."""


def machine_usd(cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
    """USD per hour of one machine; purchase option as in a spec, e.g. `capacity-block`; None without a known price."""
    blocks = purchase == "capacity-block"
    found = machine_price(
        cloud, region, machine_type, _BLOCKS.get(cloud, "on_demand") if blocks else purchase.replace("-", "_")
    )
    return found.usd if isinstance(found, Price) else None


def own_machine_usd(cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
    """The same from the user's own prices; None if they have none for it. Raises BadPrices as above."""
    book = PriceBook.in_use()
    found = book.lookup(cloud, region, machine_type, purchase.replace("-", "_"), unit=_UNIT)
    return found.usd if isinstance(found, Price) and found.row in book.own else None


def machines_usd(cloud: str, region: str) -> Mapping[str, Decimal]:
    """Every machine type with a price in a region, by name, with its on-demand USD per hour."""
    return {name: price.usd for name, price in machine_prices(cloud, region)}
