"""What shared storage costs by its speed, for plans that choose the cheapest."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache

from gpucluster.catalog.clouds import clouds
from gpucluster.cost.cloud_parts import part_of
from gpucluster.cost.prices import Price, PriceBook


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


def storage_price_elsewhere(cloud: str, tier: int) -> Decimal | None:
    """The least that is known of `storage_price` in any region of the cloud, else of any other cloud.

    By it tiers are put in order where a region has no price of its own: what a faster TiB costs against a slower one
    differs little from region to region. Nothing is billed by it. Raises BadPrices as `storage_price` does.
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
