"""Managed disks of Azure: billed by the size class that they fall into, not by the GiB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.catalog.azure_disks import DISK_GIB
from gpucluster.cost.handlers.disks import disk_lines
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.pricing import CannotPrice, Pricing

_LETTERS: Final = {"Premium": "P", "StandardSSD": "E", "Standard": "S"}
"""Kind in the name of a disk SKU -> letter of its size classes."""

_SMALLEST_HDD: Final = 4
"""Standard HDDs begin with S4 (Azure Compute documentation, disk types)."""


@dataclass(frozen=True)
class _Disk:
    kind: str
    redundancy: str

    def billed(self) -> Iterator[tuple[str, str, str, Decimal]]:
        yield "", f"managed-disk-{self.kind}-{self.redundancy}", "disk-month", Decimal(1)


def azure_disk_lines(
    item: Pricing, sku: str, gib: Decimal, count: Count, *, what: str, region: str
) -> Iterator[CostLine]:
    """Lines of `count` equal disks, e.g. `Premium_LRS` of 128 GiB. Raises CannotPrice for what has no size class."""
    kind, _, redundancy = sku.partition("_")
    if kind not in _LETTERS or redundancy not in ("LRS", "ZRS"):
        raise CannotPrice(f"disk SKU {sku!r}: the price book has Premium, StandardSSD and Standard disks only")
    classes = [
        number for number, most in DISK_GIB.items() if gib <= most and (kind != "Standard" or number >= _SMALLEST_HDD)
    ]
    if not classes:
        raise CannotPrice(f"a disk of {gib:f} GiB: the largest class holds {max(DISK_GIB.values()):,} GiB")
    disk = _Disk(f"{_LETTERS[kind]}{classes[0]}", redundancy.lower())
    yield from disk_lines(item, disk, count, what=what, region=region)
