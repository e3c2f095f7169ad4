"""GPUs, MIG slices and local SSDs of a GKE node pool against its machine type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.policies.clouds.gcp.fabric import Fabric
from gpucluster.policies.clouds.gcp.mig import SLICES
from gpucluster.policies.clouds.gcp.node_pools import Written, written_pools
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import items, text, whole

__all__ = ["FIX", "READS", "check"]

FIX: Final = (
    "Set node_config.guest_accelerators to the type and count of the machine type, gpu_partition_size to one of the "
    "sizes named, and one of ephemeral_storage_local_ssd_config and local_nvme_ssd_block_config to its local SSDs."
)
READS: Final = "gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster"

_SSDS: Final = ("ephemeralStorageLocalSsdConfig", "localNvmeSsdBlockConfig")


def check(resource: Resource) -> Iterator[Finding]:
    for pool in written_pools(resource):
        fabric = pool.fabric
        listed = items(pool.inputs, "nodeConfig", "guestAccelerators")
        if pool.machine is UNKNOWN and (listed is UNKNOWN or listed):
            yield CannotTell(resource, "its machine type is not known yet")
        if listed is UNKNOWN:
            if fabric is not None:
                yield CannotTell(resource, "its accelerators are not known yet")
            continue
        problems = [problem for gpu in listed for problem in (*_gpus(pool, fabric, gpu), *_slices(gpu))]
        problems += _ssds(pool, fabric) if fabric is not None else ()
        if problems:
            yield Violation(resource, "; ".join(problems))


def _gpus(pool: Written, fabric: Fabric | None, gpu: Any) -> Iterator[str]:
    if fabric is None:
        return
    kind, count = text(gpu, "type"), whole(gpu, "count")
    if (isinstance(kind, str) and kind != fabric.accelerator) or (isinstance(count, int) and count != fabric.gpus):
        asked = f"{'GPUs' if count is UNKNOWN else count} of {'a type not known yet' if kind is UNKNOWN else kind}"
        yield f"{asked}; {pool.machine} has {fabric.gpus} of {fabric.accelerator}"


def _slices(gpu: Any) -> Iterator[str]:
    kind, size = text(gpu, "type"), text(gpu, "gpuPartitionSize")
    sizes = SLICES.get(kind) if isinstance(kind, str) else None
    if sizes is not None and isinstance(size, str) and size not in sizes:
        yield f"gpuPartitionSize `{size}`; {kind} takes {', '.join(sizes)}"


def _ssds(pool: Written, fabric: Fabric) -> list[str]:
    given = {name: whole(pool.inputs, "nodeConfig", name, "localSsdCount") for name in _SSDS}
    counts = {name: count for name, count in given.items() if isinstance(count, int) and count > 0}
    if len(counts) > 1:
        return [f"{' and '.join(counts)} together; a machine takes one of them"]
    wrong = [count for count in counts.values() if fabric.ssds is not None and count != fabric.ssds]
    return [f"{wrong[0]} local SSDs; {pool.machine} has {fabric.ssds}"] if wrong else []
