"""Shared file systems on every cloud: how large, how fast, in which zone, and what is claimed of them.

Sources: FSx for Lustre user guide, "Performance" (throughput for each TiB of 1,000 GiB; SCRATCH_2 200 MB/s); Managed
Lustre documentation, "Performance tiers" (a TiB is 1,024 GiB); Azure Managed Lustre documentation, "Throughput and
capacity" (the name of the SKU ends with its MB/s per TiB).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.policies.clouds.gcp.names import is_zone
from gpucluster.policies.clouds.kubernetes.quantity import gib
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import items, text, whole

__all__ = ["TYPES", "FileSystem", "claims", "file_systems"]

_SUBNET: Final = "aws:ec2/subnet:Subnet"
_VOLUME: Final = "kubernetes:core/v1:PersistentVolume"
_SCRATCH_2: Final = 200


@dataclass(frozen=True, kw_only=True)
class FileSystem:
    """
    gib: what it holds. mb_per_s: what it reads at most, in MB/s. zone: where it stands.
    Each is UNKNOWN while not known yet, and None where the type or its inputs do not say.
    """

    resource: Resource
    gib: Decimal | Unknown | None
    mb_per_s: Decimal | Unknown | None
    zone: str | Unknown | None


def file_systems(resources: Resources) -> Iterator[FileSystem]:
    """Those that the stack makes."""
    for type_, read in _READERS.items():
        for resource in resources.of_type(type_):
            yield read(resource, resources)


def claims(resources: Resources) -> Iterator[tuple[Resource, Resource, Decimal | Unknown]]:
    """(persistent volume, the file system it is on, the GiB it promises to pods)."""
    for volume in resources.of_type(_VOLUME):
        urns = dict.fromkeys(urn for behind in volume.dependencies.values() for urn in behind)
        on = next((found for urn in urns if (found := resources.get(urn)) and found.type in _READERS), None)
        promised = gib(text(volume.inputs, "spec", "capacity", "storage"))
        if on is not None and promised is not None:
            yield volume, on, promised


def _times(count: Decimal | Unknown | None, each: int | Unknown | None, per: int) -> Decimal | Unknown | None:
    if count is None or each is None:
        return None
    return UNKNOWN if count is UNKNOWN or each is UNKNOWN else count * each / per


def _number(value: int | Unknown | None) -> Decimal | Unknown | None:
    return Decimal(value) if isinstance(value, int) else value


def _fsx_lustre(resource: Resource, resources: Resources) -> FileSystem:
    size = _number(whole(resource.inputs, "storageCapacity"))
    scratch = text(resource.inputs, "deploymentType") == "SCRATCH_2"
    each = _SCRATCH_2 if scratch else whole(resource.inputs, "perUnitStorageThroughput")
    return FileSystem(
        resource=resource, gib=size, mb_per_s=_times(size, each, 1000), zone=_of_subnet(resource, resources)
    )


def _of_subnet(resource: Resource, resources: Resources) -> str | Unknown | None:
    """Zone of the one subnet of a file system; None for several."""
    urns = resource.dependencies.get("subnetIds", ())
    made = [found for urn in urns if (found := resources.get(urn)) is not None and found.type == _SUBNET]
    return text(made[0].inputs, "availabilityZone") if len(made) == 1 else None


def _managed_lustre(resource: Resource, _: Resources) -> FileSystem:
    size = _number(whole(resource.inputs, "capacityGib"))
    each = whole(resource.inputs, "perUnitStorageThroughput")
    return FileSystem(resource=resource, gib=size, mb_per_s=_times(size, each, 1024), zone=_location(resource))


def _filestore(resource: Resource, _: Resources) -> FileSystem:
    size = _number(whole(resource.inputs, "fileShares", "capacityGb"))
    return FileSystem(resource=resource, gib=size, mb_per_s=None, zone=_location(resource))


def _location(resource: Resource) -> str | Unknown | None:
    """The zone of what Google Cloud keeps in a zone; None for a region."""
    given = text(resource.inputs, "location")
    return None if isinstance(given, str) and not is_zone(given) else given


def _azure_lustre(resource: Resource, _: Resources) -> FileSystem:
    tib, sku, zones = (
        _number(whole(resource.inputs, "storageCapacityTiB")),
        text(resource.inputs, "sku", "name"),
        items(resource.inputs, "zones"),
    )
    size = tib * 1024 if isinstance(tib, Decimal) else tib
    speed = whole(sku.rpartition("-")[2]) if isinstance(sku, str) else sku
    zone = UNKNOWN if zones is UNKNOWN else text(zones, 0) if len(zones) == 1 else None
    return FileSystem(resource=resource, gib=size, mb_per_s=_times(tib, speed, 1), zone=zone)


_READERS: Final[Mapping[str, Callable[[Resource, Resources], FileSystem]]] = {
    "aws:fsx/lustreFileSystem:LustreFileSystem": _fsx_lustre,
    "gcp:lustre/instance:Instance": _managed_lustre,
    "gcp:filestore/instance:Instance": _filestore,
    "azure-native:storagecache:AmlFilesystem": _azure_lustre,
}
TYPES: Final = ", ".join(_READERS)
