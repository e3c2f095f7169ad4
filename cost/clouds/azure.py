"""Azure."""

from __future__ import annotations

import re
from typing import Final

from gpucluster.cost.handlers.azure_place import place_of as region_of
from gpucluster.cost.handlers.azure_storage import amlfs as storage_name
from gpucluster.cost.pricing.pricing import Pricing
from gpucluster.cost.purchasing.file_systems import FileSystem

__all__ = ["FILE_SYSTEMS", "region_of", "storage_name"]

_GIB_PER_TIB: Final = 1024
_TIER: Final = r"AMLFS-Durable-Premium-(\d+)$"


def _lustre(item: Pricing) -> FileSystem | None:
    found = re.match(_TIER, item.text("sku", "name"))
    if found is None:
        return None
    gib = item.number("storageCapacityTiB") * _GIB_PER_TIB
    return FileSystem(item.resource, "azure", region_of(item), gib, int(found[1]), efa=False)


FILE_SYSTEMS: Final = {"azure-native:storagecache:AmlFilesystem": _lustre}
