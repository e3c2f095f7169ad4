"""Shared file systems on every cloud, and claims on them.

Sources: FSx for Lustre user guide, "Performance" (throughput per TiB of 1,000 GiB; SCRATCH_2 200 MB/s); Managed Lustre
documentation, "Performance tiers" (a TiB is 1,024 GiB); Azure Managed Lustre documentation, "Throughput and capacity"
(the SKU's name ends with its MB/s per TiB); Kubernetes API reference, "Quantity".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import items, text, whole
from gpucluster.policies.clouds.aws.networks import subnet_zones
from gpucluster.policies.clouds.gcp.declared_pools import is_zone


@dataclass(frozen=True, kw_only=True)
class FileSystem:
    """
    gib: capacity. mb_per_s: maximum read throughput in MB/s. zone: its location.
    Each is UNKNOWN before it is known, and None if the type or its inputs do not state it.
    """

    resource: Resource
    gib: Decimal | Unknown | None
    mb_per_s: Decimal | Unknown | None
    zone: str | Unknown | None


def _times(count: Decimal | Unknown | None, each: int | Unknown | None, per: int) -> Decimal | Unknown | None:
    """The total of `count` units with `each` for every `per` units."""
    if count is None or each is None:
        return None
    return UNKNOWN if count is UNKNOWN or each is UNKNOWN else count * each / per


def _number(value: int | Unknown | None) -> Decimal | Unknown | None:
    """The same, as a number for calculations."""
    return Decimal(value) if isinstance(value, int) else value


_SUBNET: Final = "aws:ec2/subnet:Subnet"
_SCRATCH_2: Final = 200


def _fsx(resource: Resource, resources: Resources) -> FileSystem:
    size = _number(whole(resource.inputs, "storageCapacity"))
    scratch = text(resource.inputs, "deploymentType") == "SCRATCH_2"
    each = _SCRATCH_2 if scratch else whole(resource.inputs, "perUnitStorageThroughput")
    return FileSystem(
        resource=resource, gib=size, mb_per_s=_times(size, each, 1000), zone=_of_subnet(resource, resources)
    )


def _of_subnet(resource: Resource, resources: Resources) -> str | Unknown | None:
    """Zone, by name or id, of the only subnet of a file system; None for several."""
    behind = resources.present(resource.dependencies.get("subnetIds", ()))
    made = [found for found in behind if found.type == _SUBNET]
    return next(iter(subnet_zones(made))) if len(made) == 1 else None


def _managed_lustre(resource: Resource, _: Resources) -> FileSystem:
    size = _number(whole(resource.inputs, "capacityGib"))
    each = whole(resource.inputs, "perUnitStorageThroughput")
    return FileSystem(resource=resource, gib=size, mb_per_s=_times(size, each, 1024), zone=_location(resource))


def _filestore(resource: Resource, _: Resources) -> FileSystem:
    size = _number(whole(resource.inputs, "fileShares", "capacityGb"))
    return FileSystem(resource=resource, gib=size, mb_per_s=None, zone=_location(resource))


def _location(resource: Resource) -> str | Unknown | None:
    """The zone of a zonal resource; None for a region."""
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


_QUANTITY: Final = r"(\d+(?:\.\d+)?)([KMGTP]i?|k)?"
_POWERS: Final = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def _gib(written: str | Unknown | None) -> Decimal | Unknown | None:
    """The amount in GiB; None if it is not an amount of bytes."""
    if written is UNKNOWN:
        return UNKNOWN
    found = re.fullmatch(_QUANTITY, written) if isinstance(written, str) else None
    if found is None:
        return None
    unit = found[2] or ""
    base = 1024 if unit.endswith("i") else 1000
    return Decimal(found[1]) * Decimal(base) ** _POWERS.get(unit[:1], 0) / 1024**3


_VOLUME: Final = "kubernetes:core/v1:PersistentVolume"

_READERS: Final[Mapping[str, Callable[[Resource, Resources], FileSystem]]] = {
    "aws:fsx/lustreFileSystem:LustreFileSystem": _fsx,
    "gcp:lustre/instance:Instance": _managed_lustre,
    "gcp:filestore/instance:Instance": _filestore,
    "azure-native:storagecache:AmlFilesystem": _azure_lustre,
}
TYPES: Final = ", ".join(_READERS)


def file_systems(resources: Resources) -> Iterator[FileSystem]:
    """The file systems of the stack."""
    for resource in resources.of_type(*_READERS):
        yield _READERS[resource.type](resource, resources)


def claims(resources: Resources) -> Iterator[tuple[Resource, Resource, Decimal | Unknown]]:
    """(persistent volume, its file system, the GiB it promises to pods)."""
    for volume in resources.of_type(_VOLUME):
        behind = resources.present(urn for urns in volume.dependencies.values() for urn in urns)
        on = next((found for found in behind if found.type in _READERS), None)
        promised = _gib(text(volume.inputs, "spec", "capacity", "storage"))
        if on is not None and promised is not None:
            yield volume, on, promised
