"""A GKE ComputeClass of elastic machines, which pods select; GKE tries its machines in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pulumi

from gpucluster.catalog.sold import flexible_only
from gpucluster.components.elastic import PoolPlan
from gpucluster.components.kubernetes.objects import Declared, Kind, manifest_of
from gpucluster.components.names import EXPECTED_GPUS, GPU_PRESENT, POOL
from gpucluster.components.planning import PlanError
from gpucluster.record import record

COMPUTE_CLASS: Final = "cloud.google.com/compute-class"
"""Label and taint of the nodes of a class, and what its pods select; GKE adds the toleration to them."""

# Source: GKE documentation, "ComputeClass" custom resource definition.
_KIND: Final = Kind("cloud.google.com/v1", "ComputeClass")

_SEVEN_DAYS: Final = 604_800

# Of a node that runs any job at least 1 of 8 GPUs is in use: only empty nodes are below 1 %. At 0 even those are not.
_EMPTY_ONLY: Final = 1


@record(kw_only=True)
class ElasticMachine:
    """What GKE adds by itself. node_account: e-mail address of the nodes' own account. boot_gb: boot disk, GB."""

    zone: str
    machine_type: str
    accelerator: str
    gpus: int
    node_account: pulumi.Input[str]
    boot_gb: int = 200


def class_node_label(pool: str) -> dict[str, str]:
    """The label by which an existing node pool belongs to the pool's class."""
    return {COMPUTE_CLASS: pool}


def class_node_taint(pool: str) -> dict[str, str]:
    """The taint it needs too, in Kubernetes' words."""
    return {"key": COMPUTE_CLASS, "value": pool, "effect": "NoSchedule"}


def elastic_class(
    name: str,
    pool: PoolPlan,
    machine: ElasticMachine,
    *,
    fallbacks: Sequence[str],
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """One ComputeClass, called as its pool. Pods select it by `cloud.google.com/compute-class`.

    The node pool of this name is tried first; it needs `class_node_label` and `class_node_taint`, and the same account,
    image and labels as here. fallbacks: how the machines that GKE adds by itself are bought, in this order: spot,
    flex-start, and on-demand where the machine is sold so. A class has no limit of its own: an existing pool ends at
    its greatest size, pools that GKE makes at the limits of the cluster's node auto-provisioning, which count the
    existing ones too (GKE documentation, "Configure node pool auto-creation"). Raises PlanError for rules GKE would
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
