"""EFS file systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.stored import stored_gib
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.pricing import Pricing

EXPECTED: Final = "gpucluster/expected-gib"
"""Tag that says how many GiB a file system holds on average; goes before the assumption `efs_gib`."""


@prices("aws:efs/fileSystem:FileSystem")
def file_system(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """GiB stored, by the month (EFS price page). Bursting throughput is part of that price; the other modes are not.

    All of it is priced in the standard class, the dearest, also where files move to a cheaper one.
    """
    gib, said = stored_gib(item, "tags", EXPECTED, "efs_gib", each="file system")
    one_zone = item.get("availabilityZoneName") is not None
    sku, words = ("efs-one-zone", "EFS One Zone storage") if one_zone else ("efs-standard", "EFS standard storage")
    yield item.line(
        words, gib, item.price(sku, "GiB-month"), basis=f"{gib:,f} GiB", assumption=said, usage=("efs_gib",)
    )

    mode = item.text("throughputMode", default="bursting")
    if mode == "provisioned":
        mibps = item.number("provisionedThroughputInMibps")
        said = "all of it is assumed above the throughput included with the stored size"
        price = item.price("efs-provisioned-throughput", "MiBps-month")
        yield item.line("EFS provisioned throughput", mibps, price, basis=f"{mibps:f} MiB/s", assumption=said)
    elif mode != "bursting":
        yield item.not_priced(f"throughputMode is {mode!r}: reads and writes are billed by the GiB; no price known")
