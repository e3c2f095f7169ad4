"""Sizes, scaling, upgrades and disks of node pools.

Sources: pulumi/pulumi-azure-native #2943 (count); kubernetes-sigs/cluster-api-provider-azure #5947 (limits of the
count); ksctl/ksctl PR 629 (limits without autoscaling); MicrosoftDocs/azure-compute-docs setup-infiniband.md (100
machines a scale set, 300 after a request); Azure/AKS #4277 and Azure/ARO-HCP PR 6038 (surge and unavailable);
Azure/AKS #2635 (ephemeral disks); MicrosoftDocs/azure-aks-docs gpu-multi-instance.md; Azure support documentation,
"AvailabilityZoneNotSupported error in an AKS cluster", and azure-aks-docs PR 416 (zones).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gpucluster.core.catalog.azure_regions import azure_regions
from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.machines import (
    AGENT_POOL,
    CLUSTER,
    DEFAULT,
    Pool,
    has_mig,
    is_unknown_type,
    may_be,
    pools_of,
    temp_disk,
)
from gpucluster.sandbox.clouds.azure.model import ManagedResource, kept_from, location_of, refused, rule

_MOST: Final = 1000
_MOST_WITH_FABRIC: Final = 300
_GIB: Final = 1024**3
_RELEASES: Final = {"Ubuntu2204": ("1.25", "1.36"), "Ubuntu2404": ("1.32", "1.38")}
_ZONES: Final = frozenset({"1", "2", "3"})

_Check = Callable[[Pool], None]


def pool_rule(check: _Check) -> _Check:
    """Registers a function as a rule of every node pool, inline ones included."""

    @rule(AGENT_POOL, CLUSTER)
    def on_each(managed: ManagedResource) -> None:
        for pool in pools_of(managed):
            check(pool)

    return check


@pool_rule
def size_exists(pool: Pool) -> None:
    """All sizes of families with accelerators are known. AKS' text: MicrosoftDocs/azure-docs #45485."""
    if is_unknown_type(pool.size):
        where = pool.cluster.get("location") or pool.managed.inputs.get("location")
        message = (
            f"The VM size of AgentPoolProfile:{pool.name} is not allowed in your subscription in location '{where}'. "
            "For more details, please visit https://aka.ms/aks/quotas-skus-regions"
        )
        raise refused("BadRequest", message)


@pool_rule
def version_can_be(pool: Pool) -> None:
    """The version may exist. AKS' text: microsoft/azure_arc #28."""
    version = pool.given.get("orchestratorVersion")
    if version is not None and not may_be(str(version)):
        message = (
            f"Version {version} is not supported in this region. Please use [az aks get-versions] command to get the "
            "supported version list in this region. For more information, please check "
            "https://aka.ms/supported-version-list"
        )
        raise refused("AgentPoolK8sVersionNotSupported", message)


@pool_rule
def system_fits_the_version(pool: Pool) -> None:
    """A system that is named with its release has images for some versions only. The wording is the sandbox's.

    Source: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/upgrade-os-version.md.
    """
    version = pool.given.get("orchestratorVersion") or pool.cluster.get("kubernetesVersion") or DEFAULT
    first, last = _RELEASES.get(str(pool.given.get("osSKU")), (version, version))
    if may_be(str(version)) and not minor(first) <= minor(str(version)) <= minor(last):
        message = f"agent pool '{pool.name}': {pool.given['osSKU']} is for Kubernetes {first} to {last}, not {version}"
        raise refused("InvalidParameter", message)


@pool_rule
def count_is_given(pool: Pool) -> None:
    """Also with the autoscaler; a system pool has at least one node."""
    count = pool.given.get("count")
    if count is None and pool.managed.token == AGENT_POOL:
        raise refused("InvalidParameter", "Required parameter properties.count is missing (null).")
    least = 1 if pool.is_system else 0
    if count is not None and not least <= int(count) <= _MOST:
        message = f"agentPoolProfile.count was {count}. It must be at least {least} and at most {_MOST}."
        raise refused("InvalidParameter", message)


@pool_rule
def limits_go_with_autoscaling(pool: Pool) -> None:
    """Both limits if the pool scales, around the count; otherwise none."""
    least, most, count = (pool.given.get(name) for name in ("minCount", "maxCount", "count"))
    if not pool.scales:
        if least is not None or most is not None:
            message = f"agent pool '{pool.name}': minCount and maxCount need enableAutoScaling"
            raise refused("InvalidParameter", message)
        return
    if least is None or most is None:
        raise refused("InvalidParameter", f"agent pool '{pool.name}': enableAutoScaling needs minCount and maxCount")
    if count is not None and not int(least) <= int(count) <= int(most):
        message = (
            f"agentPoolProfile.count was {count}. It must be greater or equal to minCount:{least} and less than or "
            f"equal to maxCount:{most}."
        )
        raise refused("InvalidParameter", message)


@pool_rule
def fabric_has_an_end(pool: Pool) -> None:
    """InfiniBand reaches the machines of one scale set in one placement group."""
    most = int(pool.given.get("maxCount") or pool.given.get("count") or 0)
    if pool.has_fabric and most > _MOST_WITH_FABRIC:
        message = (
            f"agent pool '{pool.name}': {most} x {pool.size}; a scale set with InfiniBand is in a single placement "
            f"group, of 100 machines, or of {_MOST_WITH_FABRIC} after a support request"
        )
        raise refused("OperationNotAllowed", message)


@pool_rule
def upgrades_have_a_way(pool: Pool) -> None:
    """An upgrade either adds or removes nodes; the limits of system pools and spot are narrower."""
    settings = mapping(pool.given.get("upgradeSettings"))
    surge, unavailable = settings.get("maxSurge"), settings.get("maxUnavailable")
    takes = unavailable is not None and not _is_none(unavailable)
    if surge is not None and _is_none(surge) and not takes:
        message = f"agent pool '{pool.name}': maxSurge and maxUnavailable cannot both be 0"
        raise refused("InvalidParameter", message)
    if takes and not (surge is not None and _is_none(surge)):
        message = f"agent pool '{pool.name}': maxUnavailable {unavailable} needs maxSurge 0"
        raise refused("InvalidParameter", message)
    if takes and pool.is_system:
        raise refused("InvalidParameter", f"agent pool '{pool.name}': a system pool takes no maxUnavailable")


def _is_none(text: object) -> bool:
    return str(text).rstrip("%") == "0"


@pool_rule
def ephemeral_disk_fits(pool: Pool) -> None:
    """The system disk of a node is on the machine's local disk, which limits its size."""
    have = temp_disk(pool.size)
    want = int(pool.given.get("osDiskSizeGB") or 0)
    if pool.given.get("osDiskType") == "Ephemeral" and have is not None and want > have:
        message = (
            f"The virtual machine size {pool.size} has a cache size of {have * _GIB} bytes, but the OS disk requires "
            f"{want * _GIB} bytes. Use a VM size with larger cache or disable ephemeral OS."
        )
        raise refused("VMCacheSizeTooSmall", message)


@pool_rule
def gpus_can_be_partitioned(pool: Pool) -> None:
    """A GPU instance profile requires A100, H100 or H200, and AKS's own driver."""
    profile = pool.given.get("gpuInstanceProfile")
    if not profile:
        return
    if not has_mig(pool.size):
        message = f"agent pool '{pool.name}': GPU instance profile {profile} is not supported by VM size {pool.size}"
        raise refused("InvalidParameter", message)
    if mapping(pool.given.get("gpuProfile")).get("driver") == "None":
        raise kept_from(pool.managed, f"without AKS's driver nothing puts {profile} on the GPUs of {pool.name}")


@pool_rule
def zones_exist(pool: Pool) -> None:
    """A region has three zones or none."""
    location = location_of(pool.cluster.get("location"))
    if pool.zones and azure_regions().get(location) is False:
        message = (
            f"Preflight validation check for resource(s) for container service {pool.managed.name} in resource group "
            f"{pool.managed.group} failed. Message: The zone(s) '{','.join(pool.zones)}' for resource '{pool.name}' is "
            f"not supported. The supported zones for location '{location}' are ''. Details: "
        )
        raise refused("AvailabilityZoneNotSupported", message)
    wrong = [zone for zone in pool.zones if zone not in _ZONES]
    if wrong:
        message = f"agent pool '{pool.name}': availability zone {', '.join(wrong)} does not exist; known: 1, 2, 3"
        raise refused("AvailabilityZoneNotSupported", message)


@pool_rule
def labels_are_not_of_aks(pool: Pool) -> None:
    """Labels of AKS's own domain are reserved.

    Source: MicrosoftDocs/azure-aks-docs use-labels.md, "Reserved system labels".
    """
    own = [key for key in mapping(pool.given.get("nodeLabels")) if key.startswith("kubernetes.azure.com/")]
    if own:
        message = f"agent pool '{pool.name}': label {own[0]} has the reserved prefix kubernetes.azure.com"
        raise refused("InvalidParameter", message)
