"""The elastic pools as plain values: single-node GPU capacity that scales with the jobs. Imports no Pulumi."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from gpucluster.components.planning.names import ELASTIC
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.pools import Elastic, FlexStartPurchase, Mig, Purchase
from gpucluster.core.catalog.machines import Machine


@dataclass(frozen=True, kw_only=True)
class PoolPlan:
    """name: of the pool, of its queue, and in the nodes' label `gpucluster/pool`.

    max_gpus, expected_gpus: limit, in whole machines, and average use, in GPUs. purchase: how its machines are bought,
    in order of preference. keep_empty: minutes that an empty machine waits for a job. expire_after: hours until a
    machine is replaced; None if the spec leaves it to the engine.
    """

    name: str
    max_gpus: int
    expected_gpus: str | None
    purchase: tuple[str, ...]
    keep_empty: int
    expire_after: int | None


@dataclass(frozen=True, kw_only=True)
class ElasticMachines:
    """engine: the autoscaler. shape: the smallest machine, used by every pool. own_prices: purchase option -> USD per
    hour of the machine, by which Karpenter decides.
    """

    engine: Literal["karpenter", "native"] = "karpenter"
    shape: Machine
    pools: tuple[PoolPlan, ...]
    root_gib: int = 200
    own_prices: Mapping[str, Decimal] = field(default_factory=dict[str, Decimal])

    def nodes(self, pool: PoolPlan) -> int:
        """Machines that a pool may have."""
        return pool.max_gpus // self.shape.gpus

    @property
    def most_nodes(self) -> int:
        """Machines of all pools together."""
        return sum(map(self.nodes, self.pools))

    def bought(self, purchase: str) -> int:
        """Maximum number of machines of this purchase option."""
        return sum(self.nodes(pool) for pool in self.pools if purchase in pool.purchase)


def fields_requesting(elastic: Elastic | None, purchase: str) -> list[str]:
    """Fields of the spec that request a purchase option, such as elastic.pools.dev.purchase."""
    if elastic is None:
        return []
    return [f"elastic.pools.{name}.purchase" for name, pool in elastic.pools.items() if purchase in pool.purchase]


def pool_rows(
    elastic: ElasticMachines | None, *, karpenter: str = "Karpenter", native: str = ""
) -> list[tuple[str, str]]:
    """A row to print for each pool. karpenter, native: the engines' names."""
    if elastic is None:
        return [(ELASTIC, "none")]
    engine, machine = karpenter if elastic.engine == "karpenter" else native, elastic.shape.machine_type
    return [
        (ELASTIC, f"{pool.name}: {engine}, up to {pool.max_gpus} GPUs on {machine}, {' or '.join(pool.purchase)}")
        for pool in elastic.pools
    ]


def karpenter_purchase_problems(pool: str, purchase: Sequence[str], *, cloud: str, fix: str) -> list[Problem]:
    """Purchase options that Karpenter supports on no cloud. pool: its name. cloud: its name in texts."""
    wrong = [kind for kind in purchase if kind not in ("on-demand", "spot")]
    if not wrong:
        return []
    seen = f"has {', '.join(wrong)}, which elastic.engine karpenter does not support on {cloud}"
    return [Problem(f"elastic.pools.{pool}.purchase", seen, f"allowed: on-demand, spot; {fix}")]


def age_losses(pools: Sequence[PoolPlan], autoscaler: str) -> list[str]:
    """Maximum ages of machines, if the autoscaler does not support them."""
    return [
        f"elastic.pools.{pool.name}.expire_after: {autoscaler} does not replace machines by age"
        for pool in pools
        if pool.expire_after is not None
    ]


def plan_pools(
    elastic: Elastic,
    accelerator: str,
    shape: Machine,
    planning: Planning[Any],
    sold: Callable[[Sequence[str]], Sequence[str]] = tuple,
    *,
    loss: str = "",
) -> tuple[PoolPlan, ...]:
    """Every pool on machines of one shape, in the order of the spec. accelerator: of the training nodes. sold: the
    available ones of the requested purchase options. loss: what the machines lack, if not only the accelerator.
    """
    if loss or shape.accelerator != accelerator:
        has = f"{shape.machine_type} has one {shape.accelerator.upper()}"
        other = f"no machine with a single {accelerator.upper()}; {has}"
        planning.losses.append(f"elastic pools: {loss or other}")
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


def _sold(cloud: str) -> str:
    return f"which is available on Google Cloud but not on {cloud}"


def plan_own_prices(
    elastic: Elastic, shape: Machine, pools: Sequence[PoolPlan], planning: Planning[Any]
) -> Mapping[str, Decimal]:
    """The user's own prices of the pools' machine, if the spec has `own_prices`."""
    if not elastic.own_prices or planning.prices is None:
        return {}
    options = dict.fromkeys(purchase for pool in pools for purchase in pool.purchase)
    region, machine = planning.location.region, shape.machine_type
    usd = {option: planning.prices.own_machine_usd(shape.cloud, region, machine, option) for option in options}
    found = {option: price for option, price in usd.items() if price is not None}
    listed = ", ".join(f"{option} ${price.normalize():f} an hour" for option, price in found.items())
    planning.notes.append(
        f"elastic.own_prices: Karpenter decides by your prices of {machine}: {listed}"
        if found
        else f"elastic.own_prices: you have no price of {machine} in {region}, so Karpenter decides by list prices"
    )
    return found


def refuse_own_prices(elastic: Elastic, planning: Planning[Any], why: str) -> None:
    """Where the autoscaler cannot be given prices. why: the reason."""
    if elastic.own_prices:
        planning.refuse("elastic.own_prices", f"is true, but {why}", "remove it")


def refuse_flex_start(
    title: str,
    planning: Planning[Any],
    *,
    purchase: Purchase | None = None,
    elastic: Elastic | None = None,
    mig: Mig | None = None,
) -> None:
    """Flex-start requested for one of the pools. title: the cloud's. purchase: of the training pool."""
    if isinstance(purchase, FlexStartPurchase):
        fix = "choose on-demand, or capacity-block for capacity with fixed dates"
        planning.refuse("purchase.kind", f"is 'flex-start', {_sold(title)}", fix)
    for name in fields_requesting(elastic, "flex-start"):
        planning.refuse(name, f"has flex-start, {_sold(title)}", "choose from on-demand and spot")
    if mig is not None and mig.purchase == "flex-start":
        planning.refuse("mig.purchase", f"is 'flex-start', {_sold(title)}", "choose on-demand or spot")
