"""A node pool that GKE's class of elastic machines tries first, and scales from zero."""

from __future__ import annotations

from typing import Any

import pulumi
from pulumi_gcp import container

from gpucluster.components.gcp.control_plane.control_plane import ControlPlane
from gpucluster.components.gcp.control_plane.identity import NodeIdentity
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.node_pool import FROZEN, flex_start, gpu_config, in_place, node_config, scaled
from gpucluster.components.gcp.planning.elastic import ElasticPlan
from gpucluster.components.gcp.planning.training import FLEX_START_DAYS
from gpucluster.components.gcp.pools.elastic_class import class_node_label, class_node_taint
from gpucluster.components.shared.pools.elastic import PoolPlan


def elastic_nodes(
    name: str,
    plan: ElasticPlan,
    pool: PoolPlan,
    *,
    location: Location,
    control_plane: ControlPlane,
    nodes: NodeIdentity,
    opts: pulumi.ResourceOptions,
) -> container.NodePool:
    """Up to the pool's GPUs on the smallest machine, with its preferred purchase option."""
    flexible = pool.purchase[0] == "flex-start"
    bought: dict[str, Any] = flex_start(FLEX_START_DAYS * 24) if flexible else {"spot": True}
    gpus = gpu_config(plan.shape)
    taint = class_node_taint(pool.name)
    return container.NodePool(
        name,
        name=pool.name,
        cluster=control_plane.cluster_name,
        location=location.region,
        node_locations=[location.zone],
        autoscaling=scaled(pool.max_gpus // plan.shape.gpus),
        management=container.NodePoolManagementArgs(auto_repair=not flexible, auto_upgrade=True),
        upgrade_settings=in_place(flex_start=flexible),
        network_config=container.NodePoolNetworkConfigArgs(enable_private_nodes=True),
        node_config=node_config(
            plan.shape.machine_type,
            pool=pool.name,
            disk_type=plan.shape.boot_disk,
            root_gib=plan.root_gib,
            account=nodes.email,
            more={
                **gpus,
                **bought,
                "node_labels": {**gpus["node_labels"], **class_node_label(pool.name)},
                "taints": [
                    *gpus["taints"],
                    container.NodePoolNodeConfigTaintArgs(key=taint["key"], value=taint["value"], effect="NO_SCHEDULE"),
                ],
            },
        ),
        opts=pulumi.ResourceOptions.merge(
            opts,
            pulumi.ResourceOptions(
                depends_on=control_plane.before_nodes, delete_before_replace=True, ignore_changes=FROZEN
            ),
        ),
    )
