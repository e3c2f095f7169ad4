"""Slices of GPUs.

Source: GoogleCloudPlatform/container-engine-accelerators pkg/gpu/nvidia/mig/mig.go (the sizes GKE's device plugin
knows) and its words for others. 4g.40gb of an H100 is in the partitioner's list and not in the plugin's.
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.node_pools import NODE_POOL, Pool
from gpucluster.sandbox.clouds.gcp.rules.rule import kept_from, refused, rule

_SIZES: Final = {
    "nvidia-tesla-a100": ("1g.5gb", "2g.10gb", "3g.20gb", "7g.40gb"),
    "nvidia-a100-80gb": ("1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb"),
    "nvidia-h100-80gb": ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb"),
    "nvidia-h100-mega-80gb": ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb"),
    "nvidia-h200-141gb": ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
}


@rule(NODE_POOL)
def partition_size_exists(managed: ManagedResource) -> None:
    """The size is one of the accelerator's."""
    pool = Pool(managed)
    for accelerator in pool.accelerators:
        size, type_ = accelerator.get("gpuPartitionSize"), str(accelerator.get("type"))
        if size and type_ in _SIZES and size not in _SIZES[type_]:
            message = f"{size} is not a valid GPU partition size for {type_}; valid: {', '.join(_SIZES[type_])}"
            raise refused(managed, message)
        if size and type_ not in _SIZES:
            raise refused(managed, f"Accelerator type {type_} does not support GPU partitions")


@rule(NODE_POOL)
def slices_have_no_fabric(managed: ManagedResource) -> None:
    """Slices do not use the GPU networks."""
    pool = Pool(managed)
    if pool.partition and (pool.networks or pool.network_profile):
        raise kept_from(managed, "slices of GPUs never use the GPU networks; leave them out of a pool with MIG")
