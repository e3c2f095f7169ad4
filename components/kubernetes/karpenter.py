"""A Karpenter node pool for single-node GPU jobs: the same on every cloud except its machines and node class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi

from gpucluster.components.kubernetes.objects.objects import NODE_OVERLAY, NODE_POOL, Declared, manifest_of
from gpucluster.components.planning.names import ELASTIC, EXPECTED_GPUS, GPU, GPU_PRESENT, POOL
from gpucluster.components.shared.elastic import ElasticMachines, PoolPlan

ZONE = "topology.kubernetes.io/zone"
"""The label of a node that names its zone."""

_OLDEST = 30 * 24


def node_pool(
    name: str,
    plan: PoolPlan,
    *,
    node_class: tuple[str, str, str],
    machine_types: Sequence[str],
    zone: str | None,
    zone_label: str = ZONE,
    startup_taints: Sequence[Mapping[str, str]] = (),
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """A pool that grows to its limit, runs jobs that tolerate its GPU taint, and removes empty machines.

    node_class: API group, kind and name. zone: None for any. zone_label: the node label that `zone` is a value of.
    startup_taints: of a new machine, until some software removes them.
    """
    group, kind, class_name = node_class
    spec = {
        "template": {
            "metadata": {"labels": {POOL: plan.name, GPU_PRESENT: "true"}},
            "spec": {
                "nodeClassRef": {"group": group, "kind": kind, "name": class_name},
                "requirements": [
                    _one_of("node.kubernetes.io/instance-type", machine_types),
                    _one_of("karpenter.sh/capacity-type", plan.purchase),
                    *([] if zone is None else [_one_of(zone_label, [zone])]),
                ],
                "taints": [{"key": GPU, "value": "true", "effect": "NoSchedule"}],
                **({"startupTaints": [dict(taint) for taint in startup_taints]} if startup_taints else {}),
                # Expiry is forceful, so it needs a limit on draining.
                "expireAfter": f"{plan.expire_after or _OLDEST}h",
                "terminationGracePeriod": "24h",
            },
        },
        "limits": {GPU: str(plan.max_gpus)},
        "disruption": {
            # Never move a running job to save a machine.
            "consolidationPolicy": "WhenEmpty",
            "consolidateAfter": f"{plan.keep_empty}m",
            "budgets": [
                # Empty machines only cost money: all of them may be deleted at once.
                {"nodes": "100%", "reasons": ["Empty"]},
                # A new image or a changed class waits for a machine to expire: with a limit on draining, Karpenter
                # would drain machines for it even while a job forbids it.
                {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
            ],
        },
    }
    return Declared(
        name,
        manifest_of(
            NODE_POOL,
            spec,
            object_name=plan.name,
            annotations=None if plan.expected_gpus is None else {EXPECTED_GPUS: plan.expected_gpus},
        ),
        opts,
    )


def price_overlays(name: str, plan: ElasticMachines, opts: pulumi.ResourceOptions) -> None:
    """Prices of the user's own in place of the list prices that Karpenter reads, one for each purchase option."""
    for purchase, usd in plan.own_prices.items():
        spec = {
            "requirements": [
                _one_of("node.kubernetes.io/instance-type", [plan.shape.machine_type]),
                _one_of("karpenter.sh/capacity-type", [purchase]),
            ],
            "price": f"{usd.normalize():f}",
        }
        Declared(f"{name}-{purchase}-price", manifest_of(NODE_OVERLAY, spec, object_name=f"{ELASTIC}-{purchase}"), opts)


def _one_of(key: str, values: Sequence[str]) -> dict[str, object]:
    return {"key": key, "operator": "In", "values": list(values)}
