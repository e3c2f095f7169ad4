"""Persistent disks and Hyperdisks, shared by the disk resource, machines, node pools and Karpenter pools."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.disks import ProvisionedDisk, disk_lines, optional_number
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import stored_gib
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

_INCLUDED_IOPS: Final = 3000
_INCLUDED_MIBPS: Final = 140
"""Included performance of a Hyperdisk Balanced volume (Compute Engine documentation, About Hyperdisk Balanced)."""

_LOCAL_SSD_GIB: Final = 375
"""GiB of one local SSD (gcp:container/nodePool SDK documentation, localSsdCount)."""


class Disk(ProvisionedDisk):
    """A persistent disk, Hyperdisk or local SSD, and its billed properties."""

    __slots__ = ()

    def billed(self) -> Iterator[tuple[str, str, str, Decimal]]:
        """(words, price book name, unit, units of one disk) of everything that is billed (disk price page)."""
        if not self.kind.startswith("hyperdisk-"):
            yield "", self.kind, "GiB-month", self.gib
            return
        yield "", f"{self.kind}-capacity", "GiB-month", self.gib
        if self.kind == "hyperdisk-balanced":
            yield from self.above(self.kind, iops=_INCLUDED_IOPS, mibps=_INCLUDED_MIBPS)
            return
        for words, sku, unit, asked in (
            (": IOPS", f"{self.kind}-iops", "IOPS-month", self.iops),
            (": MiB/s", f"{self.kind}-throughput", "MiBps-month", self.mibps),
        ):
            if asked is not None:
                yield words, sku, unit, asked


def google_disk_lines(
    item: Pricing, disk: Disk, count: Count, *, what: str, region: str, assumption: str = ""
) -> Iterator[CostLine]:
    """Lines of `count` equal disks; for a Hyperdisk Balanced without a declared performance they name the default."""
    if disk.kind == "hyperdisk-balanced" and (disk.iops is None or disk.mibps is None):
        note = (
            "hyperdisk-balanced whose performance Compute Engine sets: assumed within what its price includes, "
            f"{_INCLUDED_IOPS:,} IOPS and {_INCLUDED_MIBPS} MiB/s"
        )
        assumption = "; ".join(filter(None, [assumption, note]))
    yield from disk_lines(item, disk, count, what=what, region=region, assumption=assumption)


def local_ssd_lines(item: Pricing, number: Decimal, count: Count, *, region: str, purchase: str) -> Iterator[CostLine]:
    """Local SSDs that a machine does not bring with it: `number` of 375 GiB on each of `count` machines."""
    if not number:
        return
    if purchase != "on_demand":
        raise CannotPrice(f"local SSDs of {purchase.replace('_', '-')} machines: the price book has on demand only")
    yield from disk_lines(item, Disk("local-ssd", number * _LOCAL_SSD_GIB), count, what="local SSDs", region=region)


@prices("gcp:compute/disk:Disk")
def disk(item: Pricing) -> Iterator[CostLine]:
    """Provisioned GiB by the month, IOPS and throughput of Hyperdisks (disk price page).

    `type` is pd-standard unless given (Compute Engine API, disks.insert).
    """
    found = Disk(
        short_name(item.text("type", default="pd-standard")),
        item.number("size"),
        optional_number(item, "provisionedIops"),
        optional_number(item, "provisionedThroughput"),
    )
    region = region_of(place_of(item, "zone"))
    yield from google_disk_lines(item, found, Count.fixed(Decimal(1)), what="disk", region=region)


EXPECTED: Final = "gpucluster-expected-gib"
"""Label that says how many GiB a bucket holds on average; goes before the assumption `gcs_gib`."""

_CLASSES: Final = {
    "STANDARD": "standard",
    "REGIONAL": "standard",
    "NEARLINE": "nearline",
    "COLDLINE": "coldline",
    "ARCHIVE": "archive",
}
_PLACES: Final = {"us": "multi-region-us", "nam4": "dual-region-nam4"}
"""Locations that are no region, as the price book calls them."""


@prices("gcp:storage/bucket:Bucket")
def bucket(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """GiB stored in the bucket's class (Cloud Storage price page); requests and retrieval are not in the total."""
    kind = item.text("storageClass", default="STANDARD").upper()
    if kind not in _CLASSES:
        raise CannotPrice(f"storageClass is {kind!r}; priced are {', '.join(_CLASSES)}")
    location = item.text("location").lower()
    gib, where = stored_gib(item, "labels", EXPECTED, "gcs_gib", each="Cloud Storage bucket")
    folders = ", which have prices of their own in a hierarchical namespace," if _has_folders(item) else ""
    assumption = f"{where}; requests{folders} and retrieval are not in the total"
    price = item.price(f"gcs-{_CLASSES[kind]}", "GiB-month", region=_PLACES.get(location, location))
    yield item.line(
        f"Cloud Storage {kind.lower()}", gib, price, basis=f"{gib:,f} GiB", assumption=assumption, usage=("gcs_gib",)
    )
    if item.get("autoclass", "enabled"):
        yield item.not_priced("autoclass: billed by managed object; no price known")


def _has_folders(item: Pricing) -> bool:
    return bool(item.get("hierarchicalNamespace", "enabled"))


_TIERS: Final = {
    "STANDARD": "basic-hdd",
    "BASIC_HDD": "basic-hdd",
    "PREMIUM": "basic-ssd",
    "BASIC_SSD": "basic-ssd",
    "ZONAL": "zonal",
    "REGIONAL": "regional",
    "ENTERPRISE": "enterprise",
}
"""Tier -> its part of the price book's name; STANDARD and PREMIUM are the former names of the basic tiers."""

_SMALL_HDD_GIB: Final = 1024
"""GiB below which a Basic HDD instance has a fee by the hour as well (Filestore price page)."""


@prices("gcp:filestore/instance:Instance")
def filestore(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Provisioned GiB of its file share by the month (Filestore price page)."""
    tier = item.text("tier")
    if tier not in _TIERS:
        raise CannotPrice(f"tier is {tier!r}; priced are {', '.join(_TIERS)}")
    capacity = item.number("fileShares", "capacityGb")
    region = region_of(place_of(item, "location", "zone"))
    price = item.price(f"filestore-{_TIERS[tier]}", "GiB-month", region=region)
    yield item.line(f"Filestore {tier}", capacity, price, basis=f"{capacity:,f} GiB")
    if _TIERS[tier] == "basic-hdd" and capacity < _SMALL_HDD_GIB:
        fee = item.price("filestore-basic-hdd-instance-hour", "hour", region=region)
        yield item.line("Filestore instance", HOURS_PER_MONTH, fee, basis=f"{HOURS_PER_MONTH} h")
    if item.get("performanceConfig") is not None:
        yield item.not_priced("custom performance: billed by instance, GiB and IOPS; no price known")


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
