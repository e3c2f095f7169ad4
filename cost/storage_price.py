"""Price of shared storage by throughput, for plans that choose the cheapest."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache

from gpucluster.catalog.clouds import clouds
from gpucluster.cost.cloud_parts import part_of
from gpucluster.cost.prices import Price, PriceBook


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


def storage_price_elsewhere(cloud: str, tier: int) -> Decimal | None:
    """The lowest known `storage_price` in any region of the cloud, else of any other cloud.

    Ranks tiers in regions without a price of their own: the price ratio of a faster to a slower TiB differs little
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
