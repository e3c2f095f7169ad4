"""Google Cloud."""

from __future__ import annotations

from typing import Final

from gpucluster.cost.clouds.file_system import FileSystem
from gpucluster.cost.handlers import gcp_place
from gpucluster.cost.handlers.gcp_lustre import managed_lustre as storage_name
from gpucluster.cost.subject import Subject

__all__ = ["FILE_SYSTEMS", "region_of", "storage_name"]


def region_of(ask: Subject) -> str:
    """By the zone, for what is in one."""
    return gcp_place.region_of(gcp_place.place_of(ask, "region", "zone", "location").lower())


def _lustre(ask: Subject) -> FileSystem | None:
    region = gcp_place.region_of(gcp_place.place_of(ask, "location"))
    tier = int(ask.number("perUnitStorageThroughput"))
    return FileSystem(ask.resource, "gcp", region, ask.number("capacityGib"), tier, efa=False)


FILE_SYSTEMS: Final = {"gcp:lustre/instance:Instance": _lustre}
