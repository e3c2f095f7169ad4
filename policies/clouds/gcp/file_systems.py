"""Managed Lustre and Filestore.

Source: Managed Lustre documentation, "Performance tiers" (a TiB is 1,024 GiB).
"""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.file_system import FileSystem, number, times
from gpucluster.policies.clouds.gcp.names import is_zone
from gpucluster.program.resources import Resource, Resources, Unknown
from gpucluster.program.values import text, whole


def _lustre(resource: Resource, _: Resources) -> FileSystem:
    size = number(whole(resource.inputs, "capacityGib"))
    each = whole(resource.inputs, "perUnitStorageThroughput")
    return FileSystem(resource=resource, gib=size, mb_per_s=times(size, each, 1024), zone=_location(resource))


def _filestore(resource: Resource, _: Resources) -> FileSystem:
    size = number(whole(resource.inputs, "fileShares", "capacityGb"))
    return FileSystem(resource=resource, gib=size, mb_per_s=None, zone=_location(resource))


def _location(resource: Resource) -> str | Unknown | None:
    """The zone of a zonal resource; None for a region."""
    given = text(resource.inputs, "location")
    return None if isinstance(given, str) and not is_zone(given) else given


READERS: Final = {"gcp:lustre/instance:Instance": _lustre, "gcp:filestore/instance:Instance": _filestore}
