"""The elastic pools as plain values: single-node GPU capacity that scales with the jobs. Imports no Pulumi."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from gpucluster.catalog.machines import Machine
from gpucluster.components.names import ELASTIC
from gpucluster.components.problem import Problem
from gpucluster.components.spec.elastic import Elastic
from gpucluster.record import record


@record(kw_only=True)
class PoolPlan:
    """name: of the pool, of its queue, and in the nodes' label `gpucluster/pool`.

    max_gpus, expected_gpus: limit, in whole machines, and average use, in GPUs. purchase: how its machines are bought,
    in the order of preference. keep_empty: minutes that an empty machine waits for a job. expire_after: hours until a
    machine is replaced; None where the spec leaves it to the engine.
    """

    name: str
    max_gpus: int
    expected_gpus: str | None
    purchase: tuple[str, ...]
    keep_empty: int
    expire_after: int | None


@record(kw_only=True)
class ElasticMachines:
    """engine: what scales them. shape: the smallest machine, of every pool."""

    engine: Literal["karpenter", "native"] = "karpenter"
    shape: Machine
    pools: tuple[PoolPlan, ...]
    root_gib: int = 200

    def nodes(self, pool: PoolPlan) -> int:
        """Machines that a pool may have."""
        return pool.max_gpus // self.shape.gpus

    @property
    def most_nodes(self) -> int:
        """Machines of all pools together."""
        return sum(map(self.nodes, self.pools))

    def bought(self, purchase: str) -> int:
        """Machines that may run at a time, bought so."""
        return sum(self.nodes(pool) for pool in self.pools if purchase in pool.purchase)


def plan_pools(
    elastic: Elastic, shape: Machine, sold: Callable[[Sequence[str]], Sequence[str]] = tuple
) -> tuple[PoolPlan, ...]:
    """Every pool on machines of one shape, in the order of the spec. sold: the ways to buy it, out of those asked."""
    return tuple(
        PoolPlan(
            name=name,
            max_gpus=math.ceil(pool.max_gpus / shape.gpus) * shape.gpus,
            expected_gpus=None if pool.expected_gpus is None else str(pool.expected_gpus),
            purchase=tuple(dict.fromkeys(sold(pool.purchase))),
            keep_empty=pool.keep_empty,
            expire_after=pool.expire_after,
        )
        for name, pool in elastic.pools.items()
    )


def fields_that_ask_for(elastic: Elastic | None, purchase: str) -> list[str]:
    """Fields of the spec that ask for a way to buy, such as elastic.pools.dev.purchase."""
    if elastic is None:
        return []
    return [f"elastic.pools.{name}.purchase" for name, pool in elastic.pools.items() if purchase in pool.purchase]


def pool_rows(
    elastic: ElasticMachines | None, *, karpenter: str = "Karpenter", native: str = ""
) -> list[tuple[str, str]]:
    """A row for people of each pool. karpenter, native: what people call the engines."""
    if elastic is None:
        return [(ELASTIC, "none")]
    engine, machine = karpenter if elastic.engine == "karpenter" else native, elastic.shape.machine_type
    return [
        (ELASTIC, f"{pool.name}: {engine}, up to {pool.max_gpus} GPUs on {machine}, {' or '.join(pool.purchase)}")
        for pool in elastic.pools
    ]


def shape_losses(accelerator: str, shape: Machine) -> list[str]:
    """Machines with another GPU than the training nodes'. accelerator: as the spec names it."""
    if shape.accelerator == accelerator:
        return []
    return [
        f"elastic pools: no machine with a single {accelerator.upper()}; {shape.machine_type} has one "
        f"{shape.accelerator.upper()}"
    ]


def karpenter_purchase_problems(pool: str, purchase: Sequence[str], *, cloud: str, fix: str) -> list[Problem]:
    """Ways to buy that Karpenter has nowhere. pool: its name. cloud: as people call it."""
    wrong = [kind for kind in purchase if kind not in ("on-demand", "spot")]
    if not wrong:
        return []
    seen = f"has {', '.join(wrong)}, which elastic.engine karpenter does not support on {cloud}"
    return [Problem(f"elastic.pools.{pool}.purchase", seen, f"allowed: on-demand, spot; {fix}")]


def age_losses(pools: Sequence[PoolPlan], autoscaler: str) -> list[str]:
    """Ages at which machines should go, where what scales them knows none."""
    return [
        f"elastic.pools.{pool.name}.expire_after: {autoscaler} does not replace machines by age"
        for pool in pools
        if pool.expire_after is not None
    ]
