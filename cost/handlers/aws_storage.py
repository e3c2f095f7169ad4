"""EBS volumes, shared by the volume resource, instances, node groups and Karpenter pools."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.disks import LATER, ProvisionedDisk, disk_lines, optional_number
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import stored_gib, stored_or_usage
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

DEFAULT_ROOT_GIB: Final = 20
"""GiB of the gp3 root disk that an EKS AL2023 node gets when nothing else is asked (EKS user guide, node groups)."""

AMI_ROOT_GIB: Final = 8
"""GiB of the gp3 root disk of Amazon Linux 2023, taken for a machine of whatever image that declares none: a plan tells
the id of an image, not its size (namecheap/ec2-github-runner #44: "Amazon Linux 2023 default: 8 GiB gp3")."""

_INCLUDED_IOPS: Final = 3000
_INCLUDED_MIBPS: Final = 125
"""Included performance of a gp3 volume (EBS price page)."""

_FIRST_TIER: Final = Decimal(32_000)
"""IOPS of an io2 volume at the first of three prices (EBS price page)."""


class Disk(ProvisionedDisk):
    """An EBS volume and its billed properties."""

    __slots__ = ()

    def billed(self) -> Iterator[tuple[str, str, str, Decimal]]:
        """(words, price book name, unit, units of one volume) of everything that is billed (EBS price page)."""
        yield "", f"ebs-{self.kind}", "GiB-month", self.gib
        if self.kind == "gp3":
            yield from self.above("ebs-gp3", iops=_INCLUDED_IOPS, mibps=_INCLUDED_MIBPS)
        elif self.kind in ("io1", "io2") and self.iops is not None:
            first = self.iops if self.kind == "io1" else min(self.iops, _FIRST_TIER)
            yield ": IOPS", f"ebs-{self.kind}-iops", "IOPS-month", first
            if self.iops > first:
                yield f": IOPS above {first:,f}", f"ebs-io2-iops{LATER}", "IOPS-month", self.iops - first


def disk_at(item: Pricing, *path: str | int, gib: int = DEFAULT_ROOT_GIB) -> Disk:
    """The disk described at `path` of the inputs, in the words of launch templates and instances; `gib` by default."""
    return Disk(
        item.text(*path, "volumeType", default="gp3"),
        item.number(*path, "volumeSize", default=gib),
        optional_number(item, *path, "iops"),
        optional_number(item, *path, "throughput"),
    )


def mapped_disks(item: Pricing, count: Count, *, region: str, gib: int = DEFAULT_ROOT_GIB) -> Iterator[CostLine]:
    """Disks of a launch template's `blockDeviceMappings`; the machine image's own root disk when it maps none."""
    mappings = item.items("blockDeviceMappings")
    if not mappings:
        yield from default_root(item, count, region=region, gib=gib)
    for index in range(len(mappings)):
        if item.get("blockDeviceMappings", index, "ebs") is None:
            continue  # a local disk, or a mapping that is switched off: no EBS volume
        disk = disk_at(item, "blockDeviceMappings", index, "ebs", gib=gib)
        yield from disk_lines(item, disk, count, what="data disks" if index else "root disks", region=region)


def default_root(item: Pricing, count: Count, *, region: str, gib: int = DEFAULT_ROOT_GIB) -> Iterator[CostLine]:
    """The default root disk of a machine that declares no disks."""
    disk = Disk("gp3", Decimal(gib))
    assumption = f"no disk is declared: {gib} GiB gp3 per machine, the default of the machine image"
    yield from disk_lines(item, disk, count, what="root disks", region=region, assumption=assumption)


@prices("aws:ebs/volume:Volume")
def volume(item: Pricing) -> Iterator[CostLine]:
    """Provisioned GiB by the month, and IOPS and throughput above what gp3 includes (EBS price page).

    `type` is gp2 unless given (EC2 API, CreateVolume).
    """
    disk = Disk(
        item.text("type", default="gp2"),
        item.number("size"),
        optional_number(item, "iops"),
        optional_number(item, "throughput"),
    )
    yield from disk_lines(item, disk, Count.fixed(Decimal(1)), what="volume", region=place_of(item))


EXPECTED: Final = "gpucluster/expected-gib"
"""Tag that says how many GiB a file system holds on average; goes before the assumption `efs_gib`."""


@prices("aws:efs/fileSystem:FileSystem")
def file_system(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """GiB stored, by the month (EFS price page). Bursting throughput is part of that price; the other modes are not.

    All of it is priced in the standard class, the dearest, also where files move to a cheaper one.
    """
    gib, assumption = stored_gib(item, "tags", EXPECTED, "efs_gib", each="file system")
    one_zone = item.get("availabilityZoneName") is not None
    sku, words = ("efs-one-zone", "EFS One Zone storage") if one_zone else ("efs-standard", "EFS standard storage")
    yield item.line(
        words, gib, item.price(sku, "GiB-month"), basis=f"{gib:,f} GiB", assumption=assumption, usage=("efs_gib",)
    )

    mode = item.text("throughputMode", default="bursting")
    if mode == "provisioned":
        mibps = item.number("provisionedThroughputInMibps")
        assumption = "all of it is assumed above the throughput included with the stored size"
        price = item.price("efs-provisioned-throughput", "MiBps-month")
        yield item.line("EFS provisioned throughput", mibps, price, basis=f"{mibps:f} MiB/s", assumption=assumption)
    elif mode != "bursting":
        yield item.not_priced(f"throughputMode is {mode!r}: reads and writes are billed by the GiB; no price known")


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


@prices("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
def bucket(item: Pricing) -> Iterator[CostLine]:
    """GiB stored in the standard class at the first tier's price (S3 price page); requests are not in the total."""
    leaves = "standard class at the first tier's price; requests are not in the total"
    price = item.price("s3-standard", "GiB-month")
    yield stored_or_usage(item, "S3 standard storage", EXPECTED, "s3_gib", price, leaves=leaves)
