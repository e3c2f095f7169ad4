"""Managed disks as resources of their own."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.azure_disks import azure_disk_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.pricing import Pricing


@prices("azure-native:compute:Disk")
def disk(item: Pricing) -> Iterator[CostLine]:
    """One disk of its size class by the month (Managed Disks price page); operations are not in the total."""
    sku, gib = item.text("sku", "name", default="Standard_LRS"), item.number("diskSizeGB")
    yield from azure_disk_lines(item, sku, gib, Count.fixed(Decimal(1)), what="disk", region=place_of(item))
