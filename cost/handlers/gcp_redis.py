"""Memorystore for Redis instances."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.gcp_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine
from gpucluster.cost.pricing import CannotPrice, Pricing

_CLASSES: Final = ((4, "m1"), (10, "m2"), (35, "m3"), (100, "m4"), (300, "m5"))
"""(GiB at the most, capacity tier) (Memorystore for Redis price page)."""


@prices("gcp:redis/instance:Instance")
def redis(item: Pricing) -> Iterator[CostLine]:
    """GiB all month at the rate of their capacity tier, BASIC or STANDARD_HA (Memorystore for Redis price page)."""
    gib, tier = item.number("memorySizeGb"), item.text("tier", default="BASIC").lower()
    if item.get("readReplicasMode") == "READ_REPLICAS_ENABLED":
        raise CannotPrice("readReplicasMode is READ_REPLICAS_ENABLED: the price book has instances without replicas")
    found = next((name for most, name in _CLASSES if gib <= most), None)
    if found is None:
        raise CannotPrice(f"memorySizeGb is {plain(gib)}: the largest capacity tier holds {_CLASSES[-1][0]} GiB")
    price = item.price(f"redis-{tier}-{found}", "GiB-hour", region=place_of(item, "region"))
    hours = Decimal(gib * HOURS_PER_MONTH)
    yield item.line(f"Redis {tier}, {found.upper()}", hours, price, basis=f"{plain(gib)} GiB x {HOURS_PER_MONTH} h")
