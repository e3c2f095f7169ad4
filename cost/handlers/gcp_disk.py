"""Persistent disks and Hyperdisks as resources of their own."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.disks import optional_number
from gpucluster.cost.handlers.gcp_disks import Disk, google_disk_lines
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.pricing import Pricing


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
