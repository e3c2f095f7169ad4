"""Managed disks of Azure: billed by the size class that they fall into, not by the GiB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.azure_regions import DISK_GIB
from gpucluster.cost.handlers.azure_place import ACCOUNT, owner_of, place_of
from gpucluster.cost.handlers.disks import disk_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import stored_or_usage
from gpucluster.cost.pricing.model import CostLine, Count, Free
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number

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
    item: Pricing, sku: str, gib: Decimal, count: Count, *, what: str, region: str, tier: str | None = None
) -> Iterator[CostLine]:
    """Lines of `count` equal disks, e.g. `Premium_LRS` of 128 GiB. tier: performance tier, such as P50, which is billed
    like a disk of that size (Managed Disks documentation, performance tiers). CannotPrice if no size class is known.
    """
    kind, _, redundancy = sku.partition("_")
    if kind not in _LETTERS or redundancy not in ("LRS", "ZRS"):
        raise CannotPrice(f"disk SKU {sku!r}: the price book has Premium, StandardSSD and Standard disks only")
    classes = [
        number for number, most in DISK_GIB.items() if gib <= most and (kind != "Standard" or number >= _SMALLEST_HDD)
    ]
    if not classes:
        raise CannotPrice(f"a disk of {gib:f} GiB: the largest class holds {max(DISK_GIB.values()):,} GiB")
    disk = _Disk(tier or f"{_LETTERS[kind]}{classes[0]}", redundancy.lower())
    yield from disk_lines(item, disk, count, what=what, region=region)


@prices("azure-native:compute:Disk")
def disk(item: Pricing) -> Iterator[CostLine]:
    """One disk of its size class by the month (Managed Disks price page); operations are not in the total."""
    sku, gib = item.text("sku", "name", default="Standard_LRS"), item.number("diskSizeGB")
    one, tier = Count.fixed(Decimal(1)), item.get("tier") if sku.startswith("Premium") else None
    yield from azure_disk_lines(item, sku, gib, one, what="disk", region=place_of(item), tier=tier)


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


EXPECTED: Final = "gpucluster-expected-gib"
"""Tag that says how many GiB of blobs an account holds on average."""

_BYTES_PER_GIB: Final = 1024**3
_FILES: Final = "https://azure.microsoft.com/pricing/details/storage/files/"


@prices("azure-native:storage:StorageAccount")
def account(item: Pricing) -> Iterator[CostLine | Free]:
    """GiB of blobs stored (Blob Storage price page, first tier); requests are not in the total."""
    kind, sku = item.text("kind", default="StorageV2"), item.text("sku", "name")
    if kind == "FileStorage":
        yield item.free("no charge for the account; its shares are billed", _FILES)
        return
    performance, _, redundancy = sku.partition("_")
    tier = "premium" if performance == "Premium" else item.text("accessTier", default="Hot").lower()
    price = item.price(f"blob-{tier}-{redundancy.lower()}", "GiB-month", region=place_of(item))
    leaves = "at the first tier's price, without requests"
    yield stored_or_usage(item, f"Blobs, {tier}", EXPECTED, "blob_gib", price, leaves=leaves)


@prices("azure-native:storage:FileShare")
def share(item: Pricing) -> Iterator[CostLine]:
    """GiB of a premium share as provisioned, used or not (Azure Files price page, provisioned v1)."""
    found = owner_of(item, ACCOUNT)
    if found is None:
        raise CannotPrice("its storage account, which decides how it is billed, is not part of this stack")
    sku = item.of(found).text("sku", "name")
    performance, _, redundancy = sku.partition("_")
    if performance != "Premium":
        raise CannotPrice(f"shares of an account of {sku}: the price book has Premium ones only")
    quota = item.number("shareQuota")
    price = item.price(f"files-premium-{redundancy.lower()}", "GiB-month", region=place_of(item))
    yield item.line("Azure Files premium share", quota, price, basis=f"{quota:,f} GiB")


@prices("azure-native:netapp:CapacityPool")
def capacity_pool(item: Pricing) -> Iterator[CostLine]:
    """GiB of the pool as provisioned, by its service level (NetApp Files price page); volumes in it cost no more."""
    level, size = item.text("serviceLevel"), item.get("size")
    if not isinstance(size, int | float):
        raise CannotPrice(f"size is {size!r}, expected a number of bytes")
    gib = as_number(Decimal(size) / _BYTES_PER_GIB, "size")
    price = item.price(f"netapp-{level.lower()}", "GiB-month", region=place_of(item))
    yield item.line(f"NetApp Files {level}", gib, price, basis=f"{gib.normalize():,f} GiB")
