"""Persistent disks and Hyperdisks, shared by the disk resource, machines, node pools and Karpenter pools."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.disks import ProvisionedDisk, disk_lines
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.pricing import CannotPrice, Pricing

_INCLUDED_IOPS: Final = 3000
_INCLUDED_MIBPS: Final = 140
"""What a Hyperdisk Balanced volume includes (Compute Engine documentation, About Hyperdisk Balanced)."""

_LOCAL_SSD_GIB: Final = 375
"""GiB of one local SSD (gcp:container/nodePool SDK documentation, localSsdCount)."""


class Disk(ProvisionedDisk):
    """A persistent disk, Hyperdisk or local SSD, by what is billed of it."""

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
    """Lines of `count` equal disks; of a Hyperdisk Balanced that nobody gives a performance it says what is taken."""
    if disk.kind == "hyperdisk-balanced" and (disk.iops is None or disk.mibps is None):
        said = (
            "hyperdisk-balanced whose performance Compute Engine sets: assumed within what its price includes, "
            f"{_INCLUDED_IOPS:,} IOPS and {_INCLUDED_MIBPS} MiB/s"
        )
        assumption = "; ".join(filter(None, [assumption, said]))
    yield from disk_lines(item, disk, count, what=what, region=region, assumption=assumption)


def local_ssd_lines(item: Pricing, number: Decimal, count: Count, *, region: str, purchase: str) -> Iterator[CostLine]:
    """Local SSDs that a machine does not bring with it: `number` of 375 GiB on each of `count` machines."""
    if not number:
        return
    if purchase != "on_demand":
        raise CannotPrice(f"local SSDs of {purchase.replace('_', '-')} machines: the price book has on demand only")
    yield from disk_lines(item, Disk("local-ssd", number * _LOCAL_SSD_GIB), count, what="local SSDs", region=region)
