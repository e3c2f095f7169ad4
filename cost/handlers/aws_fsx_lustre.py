"""FSx for Lustre file systems."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject


@prices("aws:fsx/lustreFileSystem:LustreFileSystem")
def lustre(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """Provisioned GiB by the month; the throughput tier is part of that price (FSx for Lustre price page).

    Capacity is in GiB as the API counts it: 1,200, 2,400 and steps of 2,400.
    """
    deployment = ask.text("deploymentType", default="SCRATCH_1")
    if ask.text("storageType", default="SSD") != "SSD":
        raise CannotPrice(f"storageType is {ask.text('storageType')!r}: the price book has SSD only")
    capacity = ask.number("storageCapacity")
    if deployment == "PERSISTENT_2":
        tier = ask.number("perUnitStorageThroughput")
        sku, words = persistent_ssd(tier), f"Lustre PERSISTENT_2 SSD, {tier:f} MB/s per TiB"
    elif deployment == "SCRATCH_2":
        sku, words = "fsx-lustre-scratch2-ssd", "Lustre SCRATCH_2 SSD"
    else:
        raise CannotPrice(f"deploymentType is {deployment!r}; priced are PERSISTENT_2 and SCRATCH_2")
    price = ask.price(sku, "GiB-month", region=place_of(ask, subnets="subnetIds"))
    yield ask.line(words, capacity, price, basis=f"{capacity:,f} GiB")

    if ask.get("metadataConfiguration", "mode") == "USER_PROVISIONED":
        iops, included = ask.number("metadataConfiguration", "iops"), included_metadata_iops(capacity)
        if iops > included:
            yield ask.not_priced(f"{iops - included:f} metadata IOPS above the {included} included: no price known")
    if ask.number("automaticBackupRetentionDays", default=0) > 0:
        yield ask.not_priced("backups: billed by the GiB stored; no price known")


def persistent_ssd(tier: Decimal | int) -> str:
    """The price book's name of PERSISTENT_2 SSD storage with `tier` MB/s per TiB."""
    return f"fsx-lustre-persistent2-ssd-{Decimal(tier):f}"


def included_metadata_iops(capacity_gib: Decimal) -> int:
    """Metadata IOPS that come with a capacity (FSx for Lustre user guide, metadata performance)."""
    for up_to, iops in ((1200, 1500), (2400, 3000), (9600, 6000), (45600, 12000)):
        if capacity_gib <= up_to:
            return iops
    return 12000 * int(capacity_gib // 24000)
