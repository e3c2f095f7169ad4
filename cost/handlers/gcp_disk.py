"""Persistent disks and Hyperdisks as resources of their own."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.disks import optional_number
from gpucluster.cost.handlers.gcp_disks import Disk, google_disk_lines
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Count
from gpucluster.cost.subject import Subject


@prices("gcp:compute/disk:Disk")
def disk(ask: Subject) -> Iterator[CostLine]:
    """Provisioned GiB by the month, IOPS and throughput of Hyperdisks (disk price page).

    `type` is pd-standard unless given (Compute Engine API, disks.insert).
    """
    found = Disk(
        short_name(ask.text("type", default="pd-standard")),
        ask.number("size"),
        optional_number(ask, "provisionedIops"),
        optional_number(ask, "provisionedThroughput"),
    )
    region = region_of(place_of(ask, "zone"))
    yield from google_disk_lines(ask, found, Count.fixed(Decimal(1)), what="disk", region=region)
