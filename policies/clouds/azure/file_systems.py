"""Azure Managed Lustre.

Source: Azure Managed Lustre documentation, "Throughput and capacity" (the SKU's name ends with its MB/s per TiB).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from gpucluster.policies.clouds.file_system import FileSystem, number, times
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import items, text, whole


def _lustre(resource: Resource, _: Resources) -> FileSystem:
    tib, sku, zones = (
        number(whole(resource.inputs, "storageCapacityTiB")),
        text(resource.inputs, "sku", "name"),
        items(resource.inputs, "zones"),
    )
    size = tib * 1024 if isinstance(tib, Decimal) else tib
    speed = whole(sku.rpartition("-")[2]) if isinstance(sku, str) else sku
    zone = UNKNOWN if zones is UNKNOWN else text(zones, 0) if len(zones) == 1 else None
    return FileSystem(resource=resource, gib=size, mb_per_s=times(tib, speed, 1), zone=zone)


READERS: Final = {"azure-native:storagecache:AmlFilesystem": _lustre}
