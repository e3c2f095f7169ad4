"""Elastic pools with GKE's autoscaler: for each, a ComputeClass and the node pool that it tries first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi
from pulumi_gcp import container

from gpucluster.components.gcp.control_plane import ControlPlane
from gpucluster.components.gcp.identity import NodeIdentity
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.pools import ElasticPlan
from gpucluster.components.gcp.planning.training import FLEX_START_DAYS
from gpucluster.components.gcp.pools.node_pool import (
    FROZEN,
    flex_start,
    gpu_config,
    in_place_upgrades,
    node_config,
    pool_autoscaling,
)
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.planning.names import EXPECTED_GPUS, GPU_PRESENT, POOL
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.shared.elastic import PoolPlan
from gpucluster.core.catalog.machines import flexible_only

COMPUTE_CLASS: Final = "cloud.google.com/compute-class"
"""Label and taint of the nodes of a class, and selector of its pods; GKE adds the toleration to pods."""

# Source: GKE documentation, "ComputeClass" custom resource definition.
_KIND: Final = Kind("cloud.google.com/v1", "ComputeClass")

_SEVEN_DAYS: Final = 604_800

# A node with any job uses at least 1 of 8 GPUs: only empty nodes are below 1 %. With 0, even those are not.
_EMPTY_ONLY: Final = 1


@dataclass(frozen=True, kw_only=True)
class ElasticMachine:
    """A machine that GKE adds automatically. node_account: e-mail of the nodes' account. boot_gb: boot disk, GB."""

    zone: str
    machine_type: str
    accelerator: str
    gpus: int
    node_account: pulumi.Input[str]
    boot_gb: int = 200


def class_node_label(pool: str) -> dict[str, str]:
    """The label that assigns an existing node pool to the pool's class."""
    return {COMPUTE_CLASS: pool}


def class_node_taint(pool: str) -> dict[str, str]:
    """The taint it also needs, in Kubernetes' terms."""
    return {"key": COMPUTE_CLASS, "value": pool, "effect": "NoSchedule"}


def elastic_class(
    name: str,
    pool: PoolPlan,
    machine: ElasticMachine,
    *,
    fallbacks: Sequence[str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """One ComputeClass, named like its pool. Pods select it by `cloud.google.com/compute-class`.

    The node pool of this name is tried first; it needs `class_node_label` and `class_node_taint`, and the same account,
    image and labels as here. fallbacks: purchase options of the machines that GKE adds automatically, in this order:
    spot, flex-start, and on-demand if the machine is sold this way. A class has no limit: an existing pool stops at its
    maximum size, pools that GKE creates stop at the limits of the cluster's node auto-provisioning, which also count
    existing pools (GKE documentation, "Configure node pool auto-creation"). Raises PlanError for rules that GKE would
    refuse.
    """
    return Declared(
        name,
        manifest_of(
            _KIND,
            _spec(pool, machine, fallbacks),
            object_name=pool.name,
            annotations=None if pool.expected_gpus is None else {EXPECTED_GPUS: pool.expected_gpus},
        ),
        opts,
    )


def _spec(pool: PoolPlan, machine: ElasticMachine, fallbacks: Sequence[str]) -> dict[str, Any]:
    return {
        "priorities": [{"nodepools": [pool.name]}, *(_rule(pool, machine, purchase) for purchase in fallbacks)],
        "nodePoolAutoCreation": {"enabled": bool(fallbacks)},
        "nodePoolConfig": {
            "serviceAccount": machine.node_account,
            "imageType": "cos_containerd",
            "nodeLabels": {POOL: pool.name, GPU_PRESENT: "true"},
        },
        # Never move a running job, not even to a better machine.
        "activeMigration": {"optimizeRulePriority": False},
        "autoscalingPolicy": {
            "consolidationDelayMinutes": pool.keep_empty,
            "gpuConsolidationThreshold": _EMPTY_ONLY,
        },
        # Wait for these machines; GKE would add others without GPUs.
        "whenUnsatisfiable": "DoNotScaleUp",
    }


def _rule(pool: PoolPlan, machine: ElasticMachine, purchase: str) -> dict[str, Any]:
    bought: dict[str, dict[str, Any]] = {
        "on-demand": {"spot": False},
        "spot": {"spot": True},
        "flex-start": {"flexStart": {"enabled": True}, "maxRunDurationSeconds": _SEVEN_DAYS},
    }
    if purchase not in bought:
        raise PlanError(
            [f"ComputeClass {pool.name}: purchase is {purchase!r}; allowed: {', '.join(bought)}; write one of these"]
        )
    if purchase == "on-demand" and flexible_only(machine.machine_type):
        raise PlanError(
            [
                f"ComputeClass {pool.name}: {machine.machine_type} is bought on demand; allowed for it: spot, "
                "flex-start; write one of these"
            ]
        )
    return {
        "machineType": machine.machine_type,
        "gpu": {"type": machine.accelerator, "count": machine.gpus, "driverVersion": "default"},
        **bought[purchase],
        "location": {"zones": [machine.zone]},
        "storage": {"bootDiskType": "pd-balanced", "bootDiskSize": machine.boot_gb},
    }


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
        autoscaling=pool_autoscaling(pool.max_gpus // plan.shape.gpus),
        management=container.NodePoolManagementArgs(auto_repair=not flexible, auto_upgrade=True),
        upgrade_settings=in_place_upgrades(flex_start=flexible),
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


class NativePools(pulumi.ComponentResource):
    """A queue adds the class of its pool to a job."""

    def __init__(
        self,
        name: str,
        plan: ElasticPlan,
        *,
        location: Location,
        control_plane: ControlPlane,
        nodes: NodeIdentity,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:gcp:ElasticPools", name, {}, opts)
        machine = ElasticMachine(
            zone=location.zone,
            machine_type=plan.shape.machine_type,
            accelerator=plan.shape.gke_gpu,
            gpus=plan.shape.gpus,
            node_account=nodes.email,
            boot_gb=plan.root_gib,
        )
        for pool in plan.pools:
            existing = elastic_nodes(
                f"{name}-{pool.name}-nodes",
                plan,
                pool,
                location=location,
                control_plane=control_plane,
                nodes=nodes,
                opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
            )
            elastic_class(
                f"{name}-{pool.name}-pool",
                pool,
                machine,
                fallbacks=plan.fallbacks(pool),
                opts=pulumi.ResourceOptions(parent=self, depends_on=[existing]),
            )
        self.register_outputs({"maxGpus": {pool.name: pool.max_gpus for pool in plan.pools}})
