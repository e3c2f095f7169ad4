"""The elastic pools: single-node GPU capacity that scales with the jobs. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.components.azure.machines import CLOUD
from gpucluster.components.elastic import ElasticMachines, PoolPlan, age_losses, old_plan_pools
from gpucluster.components.names import MIG_POOL, SYSTEM_POOL, TRAINING_POOL
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import elastic_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.record import record

PROVISIONING_CLASS: Final = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
"""Class by which a queue requests all nodes of a job from the cluster autoscaler at once.

Source: AKS documentation, configure-kueue-with-cluster-autoscaler (2026-07-17).
"""


# Lower-case letters and digits. Source: AKS documentation, "Naming rules".
_POOL_NAME: Final = 12


@record(kw_only=True)
class ElasticPlan(ElasticMachines):
    """shape: without InfiniBand. root_gib: on the machine's own disk, also for files that jobs keep on a node."""

    root_gib: int = 1_000

    @property
    def keep_empty(self) -> int:
        """Minutes that an empty machine waits if the cluster's autoscaler has one such time for all pools."""
        return max(pool.keep_empty for pool in self.pools)


def plan_elastic(spec: ClusterSpec) -> ElasticPlan | None:
    """The pools on the smallest machine; purchase options that Azure does not sell are refused elsewhere."""
    elastic = spec.elastic
    if elastic is None:
        return None
    shape = elastic_shape(CLOUD, spec.accelerator)
    return ElasticPlan(
        engine=elastic.engine,
        shape=shape,
        pools=old_plan_pools(elastic, shape, lambda asked: [kind for kind in asked if kind != "flex-start"]),
    )


def agent_pools(pool: PoolPlan) -> dict[str, str]:
    """AKS names of a pool's scale sets for the cluster autoscaler: purchase option -> name."""
    name = pool.name.replace("-", "")
    others = {purchase: purchase.replace("-", "")[:5] for purchase in pool.purchase[1:]}
    return {pool.purchase[0]: name} | {
        purchase: f"{name[: _POOL_NAME - len(short)]}{short}" for purchase, short in others.items()
    }


def elastic_problems(spec: ClusterSpec) -> list[Problem]:
    """Why AKS can't run these pools."""
    plan = plan_elastic(spec)
    if plan is None or plan.engine == "karpenter":
        return []
    users: dict[str, list[str]] = {name: [f"{name} of the cluster"] for name in (SYSTEM_POOL, TRAINING_POOL, MIG_POOL)}
    for pool in plan.pools:
        for name in agent_pools(pool).values() if pool.purchase else ():
            users.setdefault(name, []).append(pool.name)
    return [
        Problem(
            "elastic.pools",
            f"has {' and '.join(pools)}, which share the node pool name {name!r} on AKS, where names have no hyphens "
            f"and at most {_POOL_NAME} characters",
            "rename one",
        )
        for name, pools in users.items()
        if len(pools) > 1
    ]


def elastic_losses(spec: ClusterSpec, plan: ElasticPlan | None) -> list[str]:
    """Requests of the spec that the elastic pools cannot provide."""
    if plan is None:
        return []
    machine = plan.shape.machine_type
    losses = [f"elastic pools: {machine} has an H100 NVL with 94 GB, not the SXM with 80 GB of the training nodes"]
    if plan.shape.accelerator != spec.accelerator:
        asked = spec.accelerator.upper()
        losses = [f"elastic pools: no machine with a single {asked}; {machine} has one H100 NVL with 94 GB"]
    if plan.engine == "native":
        losses += [
            f"elastic.pools.{pool.name}.keep_empty: {_duration(pool.keep_empty)} requested, "
            f"{_duration(plan.keep_empty)} used: the AKS autoscaler has one such time for all pools, here the longest"
            for pool in plan.pools
            if pool.keep_empty != plan.keep_empty
        ]
        losses += age_losses(plan.pools, "AKS's autoscaler")
    return losses


def _duration(minutes: int) -> str:
    """Minutes in the format of a spec."""
    return f"{minutes}m" if minutes % 60 else f"{minutes // 60}h"


def elastic_notes(plan: ElasticPlan | None) -> list[str]:
    """Notes about the engine for the plan's reader."""
    if plan is None or plan.engine == "native":
        return []
    notes = [
        "elastic pools: node auto provisioning starts single machines outside of scale sets, which have no "
        "InfiniBand; the training pool has a fixed size, and no other pool can autoscale in the same cluster"
    ]
    mixed = [pool.name for pool in plan.pools if len(pool.purchase) > 1]
    if mixed:
        # Azure/karpenter-provider-azure issue 761.
        notes.append(
            f"elastic pools {', '.join(mixed)}: if spot is unavailable, a job may stay pending: node auto provisioning "
            "does not fall back to on demand within one request; elastic.engine: native creates a node pool for each"
        )
    return notes
