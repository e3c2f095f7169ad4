"""FSx for Lustre file systems."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing


@prices("aws:fsx/lustreFileSystem:LustreFileSystem")
def lustre(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Provisioned GiB by the month; the throughput tier is part of that price (FSx for Lustre price page).

    Capacity is in GiB as the API counts it: 1,200, 2,400 and steps of 2,400.
    """
    deployment = item.text("deploymentType", default="SCRATCH_1")
    if item.text("storageType", default="SSD") != "SSD":
        raise CannotPrice(f"storageType is {item.text('storageType')!r}: the price book has SSD only")
    capacity = item.number("storageCapacity")
    if deployment == "PERSISTENT_2":
        tier = item.number("perUnitStorageThroughput")
        sku, words = persistent_ssd(tier), f"Lustre PERSISTENT_2 SSD, {tier:f} MB/s per TiB"
    elif deployment == "SCRATCH_2":
        sku, words = "fsx-lustre-scratch2-ssd", "Lustre SCRATCH_2 SSD"
    else:
        raise CannotPrice(f"deploymentType is {deployment!r}; priced are PERSISTENT_2 and SCRATCH_2")
    price = item.price(sku, "GiB-month", region=place_of(item, subnets="subnetIds"))
    yield item.line(words, capacity, price, basis=f"{capacity:,f} GiB")

    if item.get("metadataConfiguration", "mode") == "USER_PROVISIONED":
        iops, included = item.number("metadataConfiguration", "iops"), included_metadata_iops(capacity)
        if iops > included:
            yield item.not_priced(f"{iops - included:f} metadata IOPS above the {included} included: no price known")
    if item.number("automaticBackupRetentionDays", default=0) > 0:
        yield item.not_priced("backups: billed by the GiB stored; no price known")


def persistent_ssd(tier: Decimal | int) -> str:
    """The price book's name of PERSISTENT_2 SSD storage with `tier` MB/s per TiB."""
    return f"fsx-lustre-persistent2-ssd-{Decimal(tier):f}"


def included_metadata_iops(capacity_gib: Decimal) -> int:
    """Metadata IOPS that come with a capacity (FSx for Lustre user guide, metadata performance)."""
    for up_to, iops in ((1200, 1500), (2400, 3000), (9600, 6000), (45600, 12000)):
        if capacity_gib <= up_to:
            return iops
    return 12000 * int(capacity_gib // 24000)
