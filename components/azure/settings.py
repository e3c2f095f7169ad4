"""Azure-only settings of a stack: optional keys of its configuration."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gpucluster.components.azure.arm import GROUP_NAME, UUID
from gpucluster.components.azure.node_image import SYSTEMS, Ubuntu
from gpucluster.components.azure.system import SYSTEM_MACHINES
from gpucluster.components.planning.configuration import Keys, Switch, choices

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
