"""AWS."""

from __future__ import annotations

from typing import Final

from gpucluster.cost.clouds.file_system import FileSystem
from gpucluster.cost.handlers.aws_fsx_lustre import persistent_ssd as storage_name
from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.subject import Subject

__all__ = ["FILE_SYSTEMS", "storage_name"]


def _lustre(ask: Subject) -> FileSystem | None:
    if ask.text("deploymentType", default="SCRATCH_1") != "PERSISTENT_2":
        return None
    tier = int(ask.number("perUnitStorageThroughput"))
    place = place_of(ask, subnets="subnetIds")
    return FileSystem(ask.resource, "aws", place, ask.number("storageCapacity"), tier, bool(ask.get("efaEnabled")))


FILE_SYSTEMS: Final = {"aws:fsx/lustreFileSystem:LustreFileSystem": _lustre}
