"""GPUs, MIG slices and local SSDs of a GKE node pool against its machine type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.mig import gke_sizes
from gpucluster.policies.clouds.gcp.written import Written, written_pools
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import items, text, whole

FIX: Final = (
    "Set node_config.guest_accelerators to the type and count of the machine type, gpu_partition_size to one of the "
    "sizes listed, and one of ephemeral_storage_local_ssd_config and local_nvme_ssd_block_config to its local SSDs."
)
READS: Final = "gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster"

_SSDS: Final = ("ephemeralStorageLocalSsdConfig", "localNvmeSsdBlockConfig")


def check(resource: Resource) -> Iterator[Finding]:
    for pool in written_pools(resource):
        known = pool.known
        listed = items(pool.inputs, "nodeConfig", "guestAccelerators")
        if pool.machine is UNKNOWN and (listed is UNKNOWN or listed):
            yield CannotTell(resource, "its machine type is not known yet")
        if listed is UNKNOWN:
            if known is not None:
                yield CannotTell(resource, "its accelerators are not known yet")
            continue
        problems = [problem for gpu in listed for problem in (*_gpus(pool, known, gpu), *_slices(gpu))]
        problems += _ssds(pool, known) if known is not None else ()
        if problems:
            yield Violation(resource, "; ".join(problems))


def _gpus(pool: Written, known: Machine | None, gpu: Any) -> Iterator[str]:
    if known is None:
        return
    kind, count = text(gpu, "type"), whole(gpu, "count")
    if (isinstance(kind, str) and kind != known.gke_gpu) or (isinstance(count, int) and count != known.gpus):
        asked = f"{'GPUs' if count is UNKNOWN else count} of {'a type not known yet' if kind is UNKNOWN else kind}"
        yield f"{asked}; {pool.machine} has {known.gpus} of {known.gke_gpu}"


def _slices(gpu: Any) -> Iterator[str]:
    kind, size = text(gpu, "type"), text(gpu, "gpuPartitionSize")
    sizes = gke_sizes(kind) if isinstance(kind, str) else ()
    if sizes and isinstance(size, str) and size not in sizes:
        yield f"gpuPartitionSize `{size}`; allowed for {kind}: {', '.join(sizes)}"


def _ssds(pool: Written, known: Machine) -> list[str]:
    given = {name: whole(pool.inputs, "nodeConfig", name, "localSsdCount") for name in _SSDS}
    counts = {name: count for name, count in given.items() if isinstance(count, int) and count > 0}
    if len(counts) > 1:
        return [f"{' and '.join(counts)} together; set only one of them"]
    wrong = [count for count in counts.values() if known.nvme != "optional" and count != known.nvme_disks]
    return [f"{wrong[0]} local SSDs; {pool.machine} has {known.nvme_disks}"] if wrong else []
