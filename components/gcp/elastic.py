"""The elastic pools: single-node GPU capacity that scales with the jobs. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.components.elastic import (
    ElasticMachines,
    PoolPlan,
    age_losses,
    fields_that_ask_for,
    old_plan_pools,
    shape_losses,
)
from gpucluster.components.gcp.karpenter_limits import KARPENTER_NOTE, karpenter_problems
from gpucluster.components.gcp.machines import CLOUD
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import elastic_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.record import record

# Source: GKE documentation, "Define a custom compute class".
_GKES_OWN = ("gke", "autopilot")


@record(kw_only=True)
class ElasticPlan(ElasticMachines):
    """pools: bought as spot or flex-start."""

    @property
    def max_gpus(self) -> int:
        """Total of all pools."""
        return sum(pool.max_gpus for pool in self.pools)

    def fallbacks(self, pool: PoolPlan) -> tuple[str, ...]:
        """Purchase options of machines that GKE adds automatically if the pool's first option finds none."""
        return pool.purchase[1:] if self.engine == "native" else ()

    @property
    def open_ended(self) -> tuple[PoolPlan, ...]:
        """The pools for which GKE creates node pools automatically."""
        return tuple(pool for pool in self.pools if self.fallbacks(pool))


def plan_elastic(spec: ClusterSpec) -> ElasticPlan | None:
    """The pools on Google Cloud's machines with fewer than 8 GPUs."""
    elastic = spec.elastic
    if elastic is None:
        return None
    shape = elastic_shape(CLOUD, spec.accelerator)
    return ElasticPlan(
        engine=elastic.engine,
        shape=shape,
        pools=old_plan_pools(elastic, shape, _sold),
    )


def _sold(asked: Sequence[str]) -> Sequence[str]:
    """The requested purchase options that exist for these machines; Spot if none does."""
    return [kind for kind in asked if kind != "on-demand"] or ["spot"]


def elastic_problems(spec: ClusterSpec) -> list[Problem]:
    """Why the engine can't run the requested pools."""
    elastic = spec.elastic
    if elastic is None:
        return []
    if elastic.engine == "native":
        return [
            Problem(
                "elastic.pools",
                f"has the name {name!r}",
                "GKE refuses a ComputeClass with a name that begins with gke or autopilot: choose another",
            )
            for name in elastic.pools
            if name.startswith(_GKES_OWN)
        ]
    machine = elastic_shape(CLOUD, spec.accelerator).machine_type
    found = [
        problem
        for name, pool in elastic.pools.items()
        # On demand is a loss rather than a mistake: no engine can buy these machines on demand.
        for problem in karpenter_problems(
            machine, pool=name, purchase=[kind for kind in pool.purchase if kind != "on-demand"]
        )
    ]
    return list(dict.fromkeys(found))


def elastic_losses(spec: ClusterSpec, plan: ElasticPlan | None) -> list[str]:
    """Requests of the spec that the elastic pools cannot provide."""
    if plan is None or spec.elastic is None:
        return []
    losses = shape_losses(spec.accelerator, plan.shape)
    on_demand = fields_that_ask_for(spec.elastic, "on-demand")
    losses += [
        f"{field}: {plan.shape.machine_type} is sold as Spot or flex-start, never on demand; it is "
        f"{' or '.join(pool.purchase)} here, and a reclaimed machine ends its job"
        for pool in plan.pools
        if (field := f"elastic.pools.{pool.name}.purchase") in on_demand
    ]
    if plan.engine == "native":
        losses += age_losses(plan.pools, "GKE")
    return losses


def elastic_notes(plan: ElasticPlan | None) -> list[str]:
    """Notes about the engine for the plan's reader."""
    return [] if plan is None or plan.engine == "native" else [KARPENTER_NOTE]
