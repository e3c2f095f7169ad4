"""What shared storage costs by its speed, for plans that choose the cheapest."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache

from gpucluster.cost.cloud_parts import part_of
from gpucluster.cost.prices import Price, PriceBook

__all__ = ["storage_name", "storage_price"]


def storage_name(cloud: str, tier: int) -> str | None:
    """The price book's name of a cloud's parallel file system with so many MB/s per TiB; None where it has none."""
    named: Callable[[int], str] | None = part_of(cloud, "storage_name")
    return None if named is None else named(tier)


def storage_price(cloud: str, region: str, tier: int) -> Decimal | None:
    """USD per GiB-month of SSD storage with `tier` MB/s per TiB; None where no price is known that may be ranked.

    Raises BadPrices when the user's own prices cannot be used.
    """
    name = storage_name(cloud, tier)
    if name is None:
        return None
    found = _book().lookup(cloud, region, name, unit="GiB-month")
    return found.usd if isinstance(found, Price) and found.rankable else None


@cache
def _book() -> PriceBook:
    return PriceBook.in_use()
