"""Managed disks as resources of their own."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.azure_disks import azure_disk_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.subject import Subject


@prices("azure-native:compute:Disk")
def disk(ask: Subject) -> Iterator[CostLine]:
    """One disk of its size class by the month (Managed Disks price page); operations are not in the total."""
    sku, gib = ask.text("sku", "name", default="Standard_LRS"), ask.number("diskSizeGB")
    yield from azure_disk_lines(ask, sku, gib, Count.fixed(Decimal(1)), what="disk", region=place_of(ask))
