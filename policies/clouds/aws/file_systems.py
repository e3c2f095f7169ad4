"""FSx for Lustre.

Source: FSx for Lustre user guide, "Performance" (throughput per TiB of 1,000 GiB; SCRATCH_2 200 MB/s).
"""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.aws.zones import subnet_zones
from gpucluster.policies.clouds.file_system import FileSystem, number, times
from gpucluster.program.resources import Resource, Resources, Unknown
from gpucluster.program.values import text, whole

_SUBNET: Final = "aws:ec2/subnet:Subnet"
_SCRATCH_2: Final = 200


def _lustre(resource: Resource, resources: Resources) -> FileSystem:
    size = number(whole(resource.inputs, "storageCapacity"))
    scratch = text(resource.inputs, "deploymentType") == "SCRATCH_2"
    each = _SCRATCH_2 if scratch else whole(resource.inputs, "perUnitStorageThroughput")
    return FileSystem(
        resource=resource, gib=size, mb_per_s=times(size, each, 1000), zone=_of_subnet(resource, resources)
    )


def _of_subnet(resource: Resource, resources: Resources) -> str | Unknown | None:
    """Zone, by name or id, of the only subnet of a file system; None for several."""
    behind = resources.present(resource.dependencies.get("subnetIds", ()))
    made = [found for found in behind if found.type == _SUBNET]
    return next(iter(subnet_zones(made))) if len(made) == 1 else None


READERS: Final = {"aws:fsx/lustreFileSystem:LustreFileSystem": _lustre}
