"""Azure-only settings of a stack, and the systems and CPU machines that they choose from. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field

from gpucluster.components.azure.arm import GROUP_NAME, UUID
from gpucluster.components.cluster.versions import KUBERNETES
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import Keys, Switch, choices
from gpucluster.components.spec.cluster import Versions
from gpucluster.core.catalog.kubernetes_versions import minor

Ubuntu = Literal["22.04", "24.04"]


@dataclass(frozen=True, kw_only=True)
class NodeSystem:
    """The operating system of every node, which drivers, Lustre client and node classes must match: one for the whole
    cluster, as the GPU Operator requires. os_sku: of pools. image_family: of Karpenter's machines.

    first, last: minor versions of Kubernetes with which AKS has this system under this name.
    """

    os_sku: str
    image_family: Literal["Ubuntu2204", "Ubuntu2404"]
    first: str
    last: str


SYSTEMS: Final[Mapping[Ubuntu, NodeSystem]] = {
    "22.04": NodeSystem(os_sku="Ubuntu2204", image_family="Ubuntu2204", first="1.25", last="1.36"),
    # `Ubuntu2404` is in no list of this API version (2025-09-01); `Ubuntu` becomes 26.04 with 1.38.
    "24.04": NodeSystem(os_sku="Ubuntu", image_family="Ubuntu2404", first="1.35", last="1.37"),
}
"""AKS supports 22.04 until 2027-06-30.

Sources: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/upgrade-os-version.md; Azure/AKS release 2026-10-25 (1.38).
"""


def refuse_versions(versions: Versions, planning: Planning[Any]) -> None:
    """Versions with which AKS does not have the system."""
    ubuntu = planning.location.settings.ubuntu
    system = SYSTEMS[ubuntu]
    others = [f"'{name}'" for name in SYSTEMS if name != ubuntu]
    for field, version in (("kubernetes", versions.kubernetes or KUBERNETES), ("nodes", versions.nodes)):
        if version is not None and not minor(system.first) <= minor(version) <= minor(system.last):
            why = f"is {version!r}, but nodes run Ubuntu {ubuntu}, which AKS has from {system.first} to {system.last}"
            fix = f"write another version, or `ubuntu: {others[0]}` for the stack"
            planning.refuse_place(f"versions.{field}", why, fix)


# Machine -> the family of its quota; all have a local disk large enough for the system.
# Source: Azure/karpenter-provider-azure 352646f5, pkg/providers/instancetype/known_skus.yaml.
SYSTEM_MACHINES: Final[Mapping[str, str]] = {
    "Standard_D4ds_v5": "standardDDSv5Family",
    "Standard_D8ds_v5": "standardDDSv5Family",
    "Standard_D16ds_v5": "standardDDSv5Family",
    "Standard_D4ads_v5": "standardDADSv5Family",
    "Standard_D8ads_v5": "standardDADSv5Family",
    "Standard_D16ads_v5": "standardDADSv5Family",
    "Standard_D4ds_v4": "standardDDSv4Family",
    "Standard_D8ds_v4": "standardDDSv4Family",
    "Standard_D16ds_v4": "standardDDSv4Family",
}

Driver = Literal["operators", "aks"]

ZONES = ("1", "2", "3")
"""Numbers of the zones of a region that has zones."""

FEATURE_NAMESPACE, FEATURE = "Microsoft.ContainerService", "AKSInfinibandSupport"
"""The feature that places nodes on one InfiniBand network; it applies to a whole subscription.

Source: Azure/aks-rdma-infiniband 700dabb, website/docs/getting-started/02-prerequisites.md.
"""

TORSET = "ib/torset"
"""Label of nodes by the leaf switch that they share. AKS does not set it; Microsoft's labelers do, each time they run.

Source: Azure/ai-infrastructure-on-azure a01b073, utilities/aks/torset_labeler/helm/README.md.
"""

GRANTED = "granted"
"""Value of lustrePrincipal if the owner of the account has granted the roles."""

# Virtual machines of one scale set with a single placement group: by default, and raised by Microsoft's support.
# Source: Azure documentation, "Set up InfiniBand on HPC VMs" (2026-09-25).
_NODES, MOST_NODES = 100, 300


def _machine(value: str) -> str:
    if value not in SYSTEM_MACHINES:
        raise ValueError(choices(value, SYSTEM_MACHINES))
    return value


class Settings(Keys):
    """scale_set_limit: virtual machines that one scale set may hold in this subscription.

    driver: owner of the drivers of all GPU nodes: NVIDIA's operators, for GPUs and InfiniBand, or AKS for the GPUs.
    proximity_group: whether the training pool gets a proximity placement group: it shortens Ethernet paths between
    nodes and does not affect InfiniBand.
    infiniband_feature: whether the subscription must have the feature of InfiniBand on AKS, or is exempt.
    bucket_group: resource group of the storage account linked to shared storage. lustre_principal: object id of "HPC
    Cache Resource Provider" in the tenant, which gets its roles in that account, or GRANTED if it has them.
    system_machine: of the CPU nodes, if not the default for a cluster of this size. ubuntu: release on all nodes;
    stacks older than this key have 22.04. torsets: training nodes are labelled with TORSET. lustre_zone: number of the
    zone of shared storage, if the GPU nodes have none.
    """

    scale_set_limit: int = Field(
        default=_NODES,
        ge=_NODES,
        le=MOST_NODES,
        description=f"write a whole number from {_NODES}, the default of a subscription, to {MOST_NODES}, the most "
        "that Microsoft support sets",
    )
    driver: Driver = Field(default="operators", validation_alias="gpuDriver")
    proximity_group: Switch = False
    infiniband_feature: Literal["required", "waived"] = Field(
        default="required",
        description=f"allowed: required (`up` checks that {FEATURE} is registered), waived; no command here registers "
        "it",
    )
    bucket_group: str | None = Field(
        default=None, pattern=GROUP_NAME, description="write the name of the storage account's resource group"
    )
    lustre_principal: str | None = Field(
        default=None,
        pattern=rf"^{GRANTED}$|{UUID}",
        description="write the object id of the service principal HPC Cache Resource Provider in your tenant, or "
        f"{GRANTED} if it has its roles in the storage account",
    )
    system_machine: Annotated[str, AfterValidator(_machine)] | None = None
    ubuntu: Ubuntu = Field(default="22.04", description=f"allowed: {', '.join(map(repr, SYSTEMS))}, in quotes")
    torsets: Switch = False
    lustre_zone: Literal["1", "2", "3"] | None = Field(
        default=None, description=f"write the number of a zone, in quotes: {', '.join(ZONES)}"
    )


KEYS = tuple(str(field.validation_alias) for field in Settings.model_fields.values())
