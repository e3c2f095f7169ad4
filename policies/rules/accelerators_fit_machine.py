"""A GPU node pool requests what its machine type provides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.catalog.machines import Machine
from gpucluster.core.catalog.mig import aks_profiles, gke_sizes
from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import items, text, whole
from gpucluster.policies.clouds.azure import declared_pools as azure
from gpucluster.policies.clouds.gcp import declared_pools as gcp
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, ResourceRule, Severity, Violation

_SSDS: Final = ("ephemeralStorageLocalSsdConfig", "localNvmeSsdBlockConfig")


def _gcp(resource: Resource) -> Iterator[Finding]:
    """GPUs, MIG slices and local SSDs of a GKE node pool against its machine type."""
    for pool in gcp.declared_pools(resource):
        known = pool.known
        listed = items(pool.inputs, "nodeConfig", "guestAccelerators")
        if pool.machine is UNKNOWN and (listed is UNKNOWN or listed):
            yield CannotTell(resource, "its machine type is not known yet")
        if listed is UNKNOWN:
            if known is not None:
                yield CannotTell(resource, "its accelerators are not known yet")
            continue
        problems = [
            problem for gpu in listed for problem in (*_gpu_problems(pool, known, gpu), *_partition_problems(gpu))
        ]
        problems += _ssd_problems(pool, known) if known is not None else ()
        if problems:
            yield Violation(resource, "; ".join(problems))


def _gpu_problems(pool: gcp.GcpPool, known: Machine | None, gpu: Any) -> Iterator[str]:
    if known is None:
        return
    kind, count = text(gpu, "type"), whole(gpu, "count")
    if (isinstance(kind, str) and kind != known.gke_gpu) or (isinstance(count, int) and count != known.gpus):
        asked = f"{'GPUs' if count is UNKNOWN else count} of {'a type not known yet' if kind is UNKNOWN else kind}"
        yield f"{asked}; {pool.machine} has {known.gpus} of {known.gke_gpu}"


def _partition_problems(gpu: Any) -> Iterator[str]:
    kind, size = text(gpu, "type"), text(gpu, "gpuPartitionSize")
    sizes = gke_sizes(kind) if isinstance(kind, str) else ()
    if sizes and isinstance(size, str) and size not in sizes:
        yield f"gpuPartitionSize `{size}`; allowed for {kind}: {', '.join(sizes)}"


def _ssd_problems(pool: gcp.GcpPool, known: Machine) -> list[str]:
    given = {name: whole(pool.inputs, "nodeConfig", name, "localSsdCount") for name in _SSDS}
    counts = {name: count for name, count in given.items() if isinstance(count, int) and count > 0}
    if len(counts) > 1:
        return [f"{' and '.join(counts)} together; set only one of them"]
    wrong = [count for count in counts.values() if known.nvme != "optional" and count != known.nvme_disks]
    return [f"{wrong[0]} local SSDs; {pool.machine} has {known.nvme_disks}"] if wrong else []


_PROFILES: Final = aks_profiles()


def _azure(resource: Resource) -> Iterator[Finding]:
    """MIG slices of an AKS node pool against its VM size, its driver and its purpose.

    Sources: AKS page "Multi-instance GPU node pools", for the sizes; AKS slices GPUs with its own driver, so a pool
    without the driver cannot be sliced.
    """
    for pool in azure.declared_pools(resource):
        profile, driver = text(pool.inputs, "gpuInstanceProfile"), text(pool.inputs, "gpuProfile", "driver")
        if profile is None:
            continue
        if profile is UNKNOWN or driver is UNKNOWN or pool.machine is UNKNOWN:
            yield CannotTell(resource, "whether its GPUs support its MIG profile is not known yet")
        if isinstance(profile, str) and (problems := [*_slice_problems(pool, profile, driver == "None")]):
            yield Violation(resource, "; ".join(problems))


def _slice_problems(pool: azure.AzurePool, profile: str, without_driver: bool) -> Iterator[str]:
    if profile not in _PROFILES:
        yield f"gpuInstanceProfile {profile}; allowed: {', '.join(_PROFILES)}"
    if isinstance(pool.machine, str) and (pool.size is None or pool.size.model is None):
        yield f"gpuInstanceProfile {profile} on {pool.machine}; only A100, H100 and H200 have slices"
    if without_driver:
        yield (
            f"gpuInstanceProfile {profile} together with gpuProfile driver None; AKS slices GPUs only with its own "
            "driver"
        )


RULE: Final = ResourceRule(
    name="accelerators-fit-machine",
    title="Accelerators, slices and local SSDs of a node pool match its machine type",
    why="The cloud refuses the node pool in the middle of the update, after the network and the cluster are created "
    "and billed.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=80,
    **per_cloud(
        gcp=CloudCheck(
            check=_gcp,
            reads="gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster",
            fix="Set node_config.guest_accelerators to the type and count of the machine type, gpu_partition_size to "
            "one of the sizes listed, and one of ephemeral_storage_local_ssd_config and local_nvme_ssd_block_config "
            "to its local SSDs.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads="azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster",
            fix=f"Set gpu_instance_profile to {', '.join(_PROFILES)} on a pool of its own, of A100, H100 or H200 and "
            'with gpu_profile driver "Install"; with driver "None" label it nvidia.com/mig.config and leave slicing '
            "to the GPU operator.",
        ),
    ),
)
