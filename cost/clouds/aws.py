"""AWS."""

from __future__ import annotations

from typing import Final

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.aws_storage import persistent_ssd as storage_name
from gpucluster.cost.pricing.pricing import Pricing
from gpucluster.cost.purchasing.file_systems import FileSystem

__all__ = ["FILE_SYSTEMS", "storage_name"]


def _lustre(item: Pricing) -> FileSystem | None:
    if item.text("deploymentType", default="SCRATCH_1") != "PERSISTENT_2":
        return None
    tier = int(item.number("perUnitStorageThroughput"))
    place = place_of(item, subnets="subnetIds")
    return FileSystem(item.resource, "aws", place, item.number("storageCapacity"), tier, bool(item.get("efaEnabled")))


FILE_SYSTEMS: Final = {"aws:fsx/lustreFileSystem:LustreFileSystem": _lustre}
