"""The elastic pool by GKE itself: a class of machines that pods select, in the order in which GKE tries to get them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi

from components.gcp.compute_class import ComputeClass
from components.kubernetes.names import ELASTIC_POOL, EXPECTED_GPUS, GPU_PRESENT, POOL
from components.kubernetes.objects import custom_object
from components.plan import PlanError

__all__ = ["COMPUTE_CLASS", "NativePool", "NativePoolArgs", "class_node_label", "class_node_taint"]

COMPUTE_CLASS: Final = "cloud.google.com/compute-class"
"""Label and taint of the nodes of a class, and what its pods select; GKE adds the toleration to them."""

_SEVEN_DAYS: Final = 604_800

# Of a node that runs any job at least 1 of 8 GPUs is in use: only empty nodes are below 1 %. At 0 even those are not.
_EMPTY_ONLY: Final = 1


@dataclass(frozen=True, kw_only=True)
class NativePoolArgs:
    """pools: existing ELASTIC node pools by name, tried first; they need `class_node_label` and `class_node_taint`, and
    the same account, image and labels as here. purchase: how the machines that GKE adds by itself are bought, in this
    order: spot, flex-start, and on-demand where the machine is sold so. node_account: e-mail address of the nodes' own
    account. reserved_pools: names no rule may have, such as the training pool's. boot_gb: boot disk, GB.
    """

    zone: str
    machine_type: str
    accelerator: str
    gpus_per_node: int
    purchase: Sequence[str]
    pools: Sequence[pulumi.Input[str]] = ()
    reserved_pools: Sequence[str] = ()
    node_account: pulumi.Input[str]
    expected_gpus: str | None
    boot_gb: int = 200


def class_node_label() -> dict[str, str]:
    """The label by which an existing node pool belongs to the class."""
    return {COMPUTE_CLASS: ELASTIC_POOL}


def class_node_taint() -> dict[str, str]:
    """The taint it needs too, in Kubernetes' words."""
    return {"key": COMPUTE_CLASS, "value": ELASTIC_POOL, "effect": "NoSchedule"}


class NativePool(pulumi.ComponentResource):
    """One ComputeClass, `elastic`. Pods select it by `cloud.google.com/compute-class: elastic`.

    A class has no limit of its own: existing pools end at their greatest size, pools that GKE makes at the limits of
    the cluster's node auto-provisioning, which count the existing ones too (GKE documentation, "Configure node pool
    auto-creation").
    """

    def __init__(
        self,
        name: str,
        args: NativePoolArgs,
        *,
        labels: Mapping[str, str],
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the existing pools. Raises PlanError for rules GKE would refuse, and for a pool of another kind."""
        super().__init__("gpucluster:gcp:ElasticPool", name, {}, opts)
        taken = sorted(set(args.reserved_pools) & {pool for pool in args.pools if isinstance(pool, str)})
        if taken:
            raise PlanError(
                [
                    f"ComputeClass {ELASTIC_POOL}: names {', '.join(taken)}; allowed: elastic pools only; "
                    "remove the others"
                ]
            )
        custom_object(
            f"{name}-pool",
            ComputeClass,
            _spec(args, labels),
            object_name=ELASTIC_POOL,
            labels=labels,
            annotations=None if args.expected_gpus is None else {EXPECTED_GPUS: args.expected_gpus},
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        self.register_outputs({"computeClass": ELASTIC_POOL})


def _spec(args: NativePoolArgs, labels: Mapping[str, str]) -> dict[str, Any]:
    existing = [{"nodepools": list(args.pools)}] if args.pools else []
    return {
        "priorities": [*existing, *(_machine(args, purchase) for purchase in args.purchase)],
        "nodePoolAutoCreation": {"enabled": bool(args.purchase)},
        "nodePoolConfig": {
            "serviceAccount": args.node_account,
            "imageType": "cos_containerd",
            "nodeLabels": {**labels, POOL: ELASTIC_POOL, GPU_PRESENT: "true"},
        },
        # Never move a running job, not even to a better machine.
        "activeMigration": {"optimizeRulePriority": False},
        "autoscalingPolicy": {"consolidationDelayMinutes": 5, "gpuConsolidationThreshold": _EMPTY_ONLY},
        # Wait for these machines; GKE would add others without GPUs.
        "whenUnsatisfiable": "DoNotScaleUp",
    }


def _machine(args: NativePoolArgs, purchase: str) -> dict[str, Any]:
    bought: dict[str, dict[str, Any]] = {
        "on-demand": {"spot": False},
        "spot": {"spot": True},
        "flex-start": {"flexStart": {"enabled": True}, "maxRunDurationSeconds": _SEVEN_DAYS},
    }
    if purchase not in bought:
        raise PlanError(
            [f"ComputeClass {ELASTIC_POOL}: purchase is {purchase!r}; allowed: {', '.join(bought)}; write one of these"]
        )
    return {
        "machineType": args.machine_type,
        "gpu": {"type": args.accelerator, "count": args.gpus_per_node, "driverVersion": "default"},
        **bought[purchase],
        "location": {"zones": [args.zone]},
        "storage": {"bootDiskType": "pd-balanced", "bootDiskSize": args.boot_gb},
    }
