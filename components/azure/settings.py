"""Azure-only settings of a stack: optional keys of its configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, cast

from gpucluster.components.azure.arm import GROUP_NAME, UUID
from gpucluster.components.azure.node_image import SYSTEMS, Ubuntu
from gpucluster.components.azure.system import SYSTEM_MACHINES
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.record import record

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


@record(kw_only=True)
class Settings:
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

    scale_set_limit: int = _NODES
    driver: Driver = "operators"
    proximity_group: bool = False
    infiniband_feature: Literal["required", "waived"] = "required"
    bucket_group: str | None = None
    lustre_principal: str | None = None
    system_machine: str | None = None
    ubuntu: Ubuntu = "22.04"
    torsets: bool = False
    lustre_zone: str | None = None


KEYS = (
    "scaleSetLimit",
    "gpuDriver",
    "proximityGroup",
    "infinibandFeature",
    "bucketGroup",
    "lustrePrincipal",
    "systemMachine",
    "ubuntu",
    "torsets",
    "lustreZone",
)


def parse_settings(values: Mapping[str, str]) -> Settings | list[Problem]:
    """The settings among the values of a configuration, or every problem with them."""
    problems: list[Problem] = []
    limit = values.get("scaleSetLimit", str(_NODES))
    if not limit.isdecimal() or not _NODES <= int(limit) <= MOST_NODES:
        problems.append(
            Problem(
                "scaleSetLimit",
                f"is {limit!r}",
                f"write a whole number from {_NODES}, the default of a subscription, to {MOST_NODES}, the most that "
                "Microsoft support sets",
            )
        )
    driver = values.get("gpuDriver", "operators")
    if driver not in ("operators", "aks"):
        near = did_you_mean(driver, ("operators", "aks"))
        problems.append(Problem("gpuDriver", f"is {driver!r}", f"allowed: operators, aks{near}"))
    for key in ("proximityGroup", "torsets"):
        if values.get(key, "false") not in ("true", "false"):
            problems.append(Problem(key, f"is {values[key]!r}", "allowed: true, false"))
    feature = values.get("infinibandFeature", "required")
    if feature not in ("required", "waived"):
        problems.append(
            Problem(
                "infinibandFeature",
                f"is {feature!r}",
                f"allowed: required (`up` checks that {FEATURE} is registered), waived; no command here registers it",
            )
        )
    group, principal = values.get("bucketGroup"), values.get("lustrePrincipal")
    if group is not None and not re.fullmatch(GROUP_NAME, group):
        problems.append(
            Problem("bucketGroup", f"is {group!r}", "write the name of the storage account's resource group")
        )
    if principal is not None and principal != GRANTED and not re.fullmatch(UUID, principal):
        problems.append(
            Problem(
                "lustrePrincipal",
                f"is {principal!r}",
                "write the object id of the service principal HPC Cache Resource Provider in your tenant, or "
                f"{GRANTED} if it has its roles in the storage account",
            )
        )
    machine = values.get("systemMachine")
    if machine is not None and machine not in SYSTEM_MACHINES:
        near = did_you_mean(machine, SYSTEM_MACHINES)
        allowed = ", ".join(SYSTEM_MACHINES)
        problems.append(Problem("systemMachine", f"is {machine!r}", f"allowed: {allowed}{near}"))
    lustre = values.get("lustreZone")
    if lustre is not None and lustre not in ZONES:
        fix = f"write the number of a zone, in quotes: {', '.join(ZONES)}"
        problems.append(Problem("lustreZone", f"is {lustre!r}", fix))
    ubuntu = values.get("ubuntu", "22.04")
    if ubuntu not in SYSTEMS:
        problems.append(Problem("ubuntu", f"is {ubuntu!r}", f"allowed: {', '.join(map(repr, SYSTEMS))}, in quotes"))
    if problems:
        return problems
    return Settings(
        scale_set_limit=int(limit),
        driver=cast(Driver, driver),
        proximity_group=values.get("proximityGroup") == "true",
        infiniband_feature=cast(Literal["required", "waived"], feature),
        bucket_group=group,
        lustre_principal=principal,
        system_machine=machine,
        ubuntu=cast(Ubuntu, ubuntu),
        torsets=values.get("torsets") == "true",
        lustre_zone=lustre,
    )
