"""Common settings of all GPU node pools: one scale set, the GPU taint, an ephemeral OS disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_azure_native import containerservice

from gpucluster.components.azure.settings import Driver
from gpucluster.components.planning.names import GPU, GPU_PRESENT, POOL
from gpucluster.core.catalog.machines import Machine


class GpuNodes:
    """Declares pools of GPU nodes in one cluster, equal except for the arguments of each call. inside: their location.

    One by one: pools created at the same time change one network, which accepts one change at a time (Azure/AKS issues
    2720 and 4522: VirtualNetworkNotInSucceededState, SetVNetOwnershipFailed).
    """

    inside: Mapping[str, pulumi.Input[str]]

    def __init__(
        self,
        *,
        group: pulumi.Input[str],
        cluster_name: pulumi.Input[str],
        subnet_id: pulumi.Input[str],
        version: str | None,
        zones: Sequence[str] | None,
        driver: Driver,
        os_sku: str,
        whole: Mapping[str, str],
        after: Sequence[pulumi.Resource],
    ) -> None:
        """version: of Kubernetes, None for the cluster's. zones: numbers, None for no zone. driver: owner of the
        drivers. os_sku: AKS' name of the operating system. whole: labels of nodes with unsliced GPUs. after: must exist
        before the first of them.
        """
        self.inside = {"resourceGroup": group, "clusterName": cluster_name, "subnetId": subnet_id}
        self._common: dict[str, Any] = {
            "resource_group_name": group,
            "resource_name_": cluster_name,
            "vnet_subnet_id": subnet_id,
            "orchestrator_version": version,
            "availability_zones": zones,
        }
        self._driver, self._os_sku, self._whole = driver, os_sku, whole
        self._after = list(after)

    def declare(
        self,
        name: str,
        *,
        pool: str,
        shape: Machine,
        root_gib: int,
        count: int,
        opts: pulumi.ResourceOptions,
        kind: str | None = None,
        spot: bool = False,
        sliced: Mapping[str, str] | None = None,
        node_labels: Mapping[str, str] | None = None,
        **more: Any,
    ) -> containerservice.AgentPool:
        """One pool. pool: its name in the cluster; AKS allows 12 lower-case letters and digits. kind: name of the pool
        for selectors, if different. sliced: labels of nodes with sliced GPUs. more: further arguments of AgentPool, by
        their names.
        """
        bought: dict[str, Any] = {}
        labels = {POOL: kind or pool, GPU_PRESENT: "true"}
        labels |= {**(self._whole if sliced is None else sliced), **(node_labels or {})}
        if spot:
            # AKS also labels and taints these nodes, with a key that only AKS may write.
            bought = {"scale_set_priority": "Spot", "scale_set_eviction_policy": "Delete", "spot_max_price": -1.0}
        # Keywords only: an object of arguments collides with the SDK's own parameter `resource_name`.
        agent_pool = containerservice.AgentPool(
            name,
            agent_pool_name=pool,
            mode="User",
            type="VirtualMachineScaleSets",
            vm_size=shape.machine_type,
            count=count,
            os_type="Linux",
            os_sku=self._os_sku,
            # On the machine's own disk, with room for images: the default of 128 GB is too small for CUDA's.
            os_disk_type="Ephemeral",
            os_disk_size_gb=root_gib,
            kubelet_disk_type="OS",
            enable_node_public_ip=False,
            gpu_profile=containerservice.GPUProfileArgs(driver="None" if self._driver == "operators" else "Install"),
            node_labels=labels,
            node_taints=[f"{GPU}=true:NoSchedule"],
            # Spot pools do not support it.
            upgrade_settings=None if spot else _in_place(),
            # A deallocated machine keeps its quota and loses its capacity.
            scale_down_mode="Delete",
            **bought,
            **self._common,
            **more,
            # The old pool holds the name until it is deleted.
            opts=pulumi.ResourceOptions.merge(
                opts, pulumi.ResourceOptions(depends_on=self._after, delete_before_replace=True)
            ),
        )
        self._after = [*self._after, agent_pool]
        return agent_pool


def _in_place() -> containerservice.AgentPoolUpgradeSettingsArgs:
    """A surge node of this type would need quota and capacity that are not available."""
    return containerservice.AgentPoolUpgradeSettingsArgs(
        max_surge="0", max_unavailable="1", drain_timeout_in_minutes=30, undrainable_node_behavior="Cordon"
    )
