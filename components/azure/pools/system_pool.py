"""The system pool of an AKS cluster: CPU nodes for system software."""

from __future__ import annotations

from typing import Final

from pulumi_azure_native import containerservice

from gpucluster.components.azure.network import Network
from gpucluster.components.azure.planning.machines import SystemPlan
from gpucluster.components.planning.names import POOL, SYSTEM_POOL

# Fields of the system pool that stay as created, by Pulumi's names: its machine and system may have changed in the spec
# since. Not its version, which states of earlier releases contain: AKS refuses a request of the cluster with the
# versions of some pools (`system_pool`).
AS_CREATED: Final = (
    "availabilityZones",
    "count",
    "mode",
    "name",
    "nodeLabels",
    "osDiskSizeGB",
    "osDiskType",
    "osSKU",
    "osType",
    "tags",
    "type",
    "upgradeSettings",
    "vmSize",
    "vnetSubnetID",
)


def system_pool(
    name: str, plan: SystemPlan, os_sku: str, network: Network
) -> containerservice.ManagedClusterAgentPoolProfileArgs:
    """The pool that AKS requires. Every other pool is a separate resource.

    Without a version: at its creation it gets the control plane's, and a later, separate request upgrades it. With
    one, the next upgrade of the control plane is refused, because the other pools' versions are not in the request
    (NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged: Azure/AKS #4765 and PR 2889, Azure/ARO-HCP PR 662).
    """
    return containerservice.ManagedClusterAgentPoolProfileArgs(
        name=SYSTEM_POOL,
        mode="System",
        type="VirtualMachineScaleSets",
        count=plan.nodes,
        vm_size=plan.machine_type,
        # Not only in the GPU nodes' zone: a zone full of GPUs is often out of other machines.
        availability_zones=list(plan.zones) or None,
        os_type="Linux",
        os_sku=os_sku,
        os_disk_type="Ephemeral",
        os_disk_size_gb=plan.root_gib,
        vnet_subnet_id=network.nodes_id,
        upgrade_settings=containerservice.AgentPoolUpgradeSettingsArgs(max_surge="1"),
        node_labels={POOL: SYSTEM_POOL},
        tags={"name": name},
    )
