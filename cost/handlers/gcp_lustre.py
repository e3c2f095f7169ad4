"""Managed Lustre instances."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.gcp_place import place_of, region_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import Pricing

DYNAMIC = "managed-lustre-dynamic"
"""The price book's name of the dynamic tier."""


@prices("gcp:lustre/instance:Instance")
def lustre(item: Pricing) -> Iterator[CostLine]:
    """Provisioned GiB by the month; the throughput tier is part of that price (billing SKUs of Managed Lustre).

    `capacityGib` and `perUnitStorageThroughput` are texts in the API.
    """
    capacity = item.number("capacityGib")
    if item.text("dynamicTierOptions", "mode", default="DISABLED") != "DISABLED":
        sku, words = DYNAMIC, "Managed Lustre, dynamic tier"
    else:
        tier = item.number("perUnitStorageThroughput")
        sku, words = managed_lustre(tier), f"Managed Lustre, {tier:f} MB/s per TiB"
    price = item.price(sku, "GiB-month", region=region_of(place_of(item, "location")))
    yield item.line(words, capacity, price, basis=f"{capacity:,f} GiB")


def managed_lustre(tier: Decimal | int) -> str:
    """The price book's name of storage with `tier` MB/s per TiB."""
    return f"managed-lustre-{Decimal(tier):f}"
