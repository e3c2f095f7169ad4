"""Azure Managed Lustre file systems."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import Pricing

_GIB_PER_TIB: Final = 1024


@prices("azure-native:storagecache:AmlFilesystem")
def lustre(item: Pricing) -> Iterator[CostLine]:
    """Provisioned GiB by the month; the throughput of its SKU is part of that. The book has no price: set your own."""
    sku, capacity = item.text("sku", "name"), item.number("storageCapacityTiB") * _GIB_PER_TIB
    price = item.price(sku, "GiB-month", region=place_of(item))
    yield item.line(f"Managed Lustre {sku}", capacity, price, basis=f"{capacity:,f} GiB")


def amlfs(tier: Decimal | int) -> str:
    """The price book's name, and Azure's, of storage with `tier` MB/s per TiB."""
    return f"AMLFS-Durable-Premium-{Decimal(tier):f}"
