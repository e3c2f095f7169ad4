"""Filestore instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.gcp_place import place_of, region_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing

_TIERS: Final = {
    "STANDARD": "basic-hdd",
    "BASIC_HDD": "basic-hdd",
    "PREMIUM": "basic-ssd",
    "BASIC_SSD": "basic-ssd",
    "ZONAL": "zonal",
    "REGIONAL": "regional",
    "ENTERPRISE": "enterprise",
}
"""Tier -> its part of the price book's name; STANDARD and PREMIUM are the former names of the basic tiers."""

_SMALL_HDD_GIB: Final = 1024
"""GiB below which a Basic HDD instance has a fee by the hour as well (Filestore price page)."""


@prices("gcp:filestore/instance:Instance")
def filestore(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Provisioned GiB of its file share by the month (Filestore price page)."""
    tier = item.text("tier")
    if tier not in _TIERS:
        raise CannotPrice(f"tier is {tier!r}; priced are {', '.join(_TIERS)}")
    capacity = item.number("fileShares", "capacityGb")
    region = region_of(place_of(item, "location", "zone"))
    price = item.price(f"filestore-{_TIERS[tier]}", "GiB-month", region=region)
    yield item.line(f"Filestore {tier}", capacity, price, basis=f"{capacity:,f} GiB")
    if _TIERS[tier] == "basic-hdd" and capacity < _SMALL_HDD_GIB:
        fee = item.price("filestore-basic-hdd-instance-hour", "hour", region=region)
        yield item.line("Filestore instance", HOURS_PER_MONTH, fee, basis=f"{HOURS_PER_MONTH} h")
    if item.get("performanceConfig") is not None:
        yield item.not_priced("custom performance: billed by instance, GiB and IOPS; no price known")
