"""EBS volumes, shared by the volume resource, instances, node groups and Karpenter pools."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.disks import ProvisionedDisk, disk_lines, optional_number
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.pricing import Pricing

DEFAULT_ROOT_GIB: Final = 20
"""GiB of the gp3 root disk that an EKS AL2023 node gets when nothing else is asked (EKS user guide, node groups)."""

AMI_ROOT_GIB: Final = 8
"""GiB of the gp3 root disk of Amazon Linux 2023, taken for a machine of whatever image that declares none: a plan tells
the id of an image, not its size (namecheap/ec2-github-runner #44: "Amazon Linux 2023 default: 8 GiB gp3")."""

_INCLUDED_IOPS: Final = 3000
_INCLUDED_MIBPS: Final = 125
"""What a gp3 volume includes (EBS price page)."""


class Disk(ProvisionedDisk):
    """An EBS volume, by what is billed of it."""

    __slots__ = ()

    def billed(self) -> Iterator[tuple[str, str, str, Decimal]]:
        """(words, price book name, unit, units of one volume) of everything that is billed (EBS price page)."""
        yield "", f"ebs-{self.kind}", "GiB-month", self.gib
        if self.kind == "gp3":
            yield from self.above("ebs-gp3", iops=_INCLUDED_IOPS, mibps=_INCLUDED_MIBPS)
        elif self.kind in ("io1", "io2") and self.iops is not None:
            yield ": IOPS", f"ebs-{self.kind}-iops", "IOPS-month", self.iops


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
    """The root disk a machine gets when nobody says anything about disks."""
    disk = Disk("gp3", Decimal(gib))
    said = f"no disk is declared: {gib} GiB gp3 per machine, the default of the machine image"
    yield from disk_lines(item, disk, count, what="root disks", region=region, assumption=said)
