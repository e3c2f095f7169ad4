"""Google Cloud."""

from __future__ import annotations

from typing import Final

from gpucluster.cost.handlers import gcp_place
from gpucluster.cost.handlers.gcp_storage import managed_lustre as storage_name
from gpucluster.cost.pricing.pricing import Pricing
from gpucluster.cost.purchasing.file_systems import FileSystem

__all__ = ["FILE_SYSTEMS", "region_of", "storage_name"]


def region_of(item: Pricing) -> str:
    """The region of a zonal resource."""
    return gcp_place.region_of(gcp_place.place_of(item, "region", "zone", "location").lower())


def _lustre(item: Pricing) -> FileSystem | None:
    region = gcp_place.region_of(gcp_place.place_of(item, "location"))
    tier = int(item.number("perUnitStorageThroughput"))
    return FileSystem(item.resource, "gcp", region, item.number("capacityGib"), tier, efa=False)


FILE_SYSTEMS: Final = {"gcp:lustre/instance:Instance": _lustre}
