"""Storage of Azure that is no disk: accounts, shares of Azure Files, capacity pools of NetApp Files."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.azure_place import ACCOUNT, owner_of, place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.stored import stored_or_usage
from gpucluster.cost.model import CostLine, Free
from gpucluster.cost.pricing import CannotPrice, Pricing, as_number

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
