"""The MIG pool: nodes with sliced GPUs for development and inference; no fabric, no multi-node training."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pulumi
from pulumi_gcp import container

from gpucluster.components.gcp.control_plane import ControlPlane
from gpucluster.components.gcp.identity import NodeIdentity
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.pools import MigPlan
from gpucluster.components.gcp.planning.training import FLEX_START_DAYS
from gpucluster.components.gcp.pools.node_pool import (
    FROZEN,
    flex_start,
    gpu_config,
    in_place_upgrades,
    node_config,
    pool_autoscaling,
)
from gpucluster.components.planning.names import MIG_POOL
from gpucluster.components.resources.node_replacement import RollGuard


class MigPool(pulumi.ComponentResource):
    """Outputs: node_pool_name. Pods request `nvidia.com/gpu` and select `cloud.google.com/gke-gpu-partition-size`."""

    def __init__(
        self,
        name: str,
        plan: MigPlan,
        *,
        location: Location,
        control_plane: ControlPlane,
        nodes: NodeIdentity,
        version: str | None = None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        kind = "gpucluster:gcp:MigPool"
        inputs = {
            "machineType": plan.shape.machine_type,
            "zone": location.zone,
            "slices": plan.size,
            "purchase": plan.purchase,
        }
        guard = RollGuard(kind, name, inputs, plan, field="mig.roll")
        super().__init__(kind, name, inputs, guard.over(opts))
        flexible = plan.purchase == "flex-start"
        # Flex-start nodes are deleted with their jobs, even if the cluster is not paused.
        size: dict[str, Any] = (
            {"autoscaling": pool_autoscaling(max(plan.nodes, 1))} if flexible else {"node_count": plan.nodes}
        )
        bought: dict[str, Any] = {
            "on-demand": {},
            "spot": {"spot": True},
            "flex-start": flex_start(FLEX_START_DAYS * 24),
        }[plan.purchase]
        pool = container.NodePool(
            f"{name}-nodes",
            name=MIG_POOL,
            cluster=control_plane.cluster_name,
            location=location.region,
            node_locations=[location.zone],
            version=version,
            **size,
            management=container.NodePoolManagementArgs(auto_repair=not flexible, auto_upgrade=True),
            upgrade_settings=in_place_upgrades(flex_start=flexible),
            network_config=container.NodePoolNetworkConfigArgs(enable_private_nodes=True),
            node_config=node_config(
                plan.shape.machine_type,
                pool=MIG_POOL,
                disk_type=plan.shape.boot_disk,
                root_gib=plan.root_gib,
                account=nodes.email,
                more={**gpu_config(plan.shape, partition=plan.size), **bought},
            ),
            opts=guard.over(
                pulumi.ResourceOptions(
                    parent=self,
                    depends_on=[*control_plane.before_nodes, *after],
                    delete_before_replace=True,
                    ignore_changes=[] if plan.roll else FROZEN,
                )
            ),
        )
        self.register_outputs({"nodePoolName": pool.name})
