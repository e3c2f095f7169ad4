"""EBS volumes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.disks import disk_lines, optional_number
from gpucluster.cost.handlers.ebs import Disk
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.pricing import Pricing


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
