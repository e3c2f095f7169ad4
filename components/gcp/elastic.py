"""The elastic pool: single-node GPU capacity that comes and goes with the jobs. Imports no Pulumi."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from components.gcp.karpenter_limits import KARPENTER_NOTE, karpenter_problems
from components.gcp.machines import CLOUD, spot_only
from components.shapes import Shape, elastic_shape, shapes
from components.spec import ClusterSpec, Elastic

__all__ = ["ElasticPlan", "elastic_losses", "elastic_notes", "elastic_problems", "plan_elastic"]


@dataclass(frozen=True, kw_only=True)
class ElasticPlan:
    """shape: the smallest machine. larger: those for jobs that want more GPUs of one node, smallest first.
    purchase: spot or flex-start, in the order of preference. max_gpus, expected_gpus: limit and average use, in GPUs.
    """

    engine: Literal["karpenter", "native"]
    shape: Shape
    larger: tuple[Shape, ...]
    purchase: tuple[Literal["spot", "flex-start"], ...]
    max_gpus: int
    expected_gpus: str | None
    root_gib: int = 200

    @property
    def fallbacks(self) -> tuple[Literal["spot", "flex-start"], ...]:
        """How GKE buys machines by itself where the pool's own way finds none."""
        return self.purchase[1:] if self.engine == "native" else ()


def plan_elastic(spec: ClusterSpec) -> ElasticPlan | None:
    """The pool on the machines of Google Cloud that have fewer than 8 GPUs."""
    elastic = spec.elastic
    if elastic is None:
        return None
    shape = elastic_shape(CLOUD, spec.accelerator)
    return ElasticPlan(
        engine=elastic.engine,
        shape=shape,
        larger=tuple(
            row
            for row in shapes()
            if row.cloud == CLOUD and spot_only(row) and shape.gpus < row.gpus <= elastic.max_gpus
        ),
        purchase=_purchase(elastic),
        max_gpus=math.ceil(elastic.max_gpus / shape.gpus) * shape.gpus,
        expected_gpus=None if elastic.expected_gpus is None else str(elastic.expected_gpus),
    )


def _purchase(elastic: Elastic) -> tuple[Literal["spot", "flex-start"], ...]:
    """The ways asked that these machines are sold in; Spot where none of them is."""
    sold: list[Literal["spot", "flex-start"]] = [kind for kind in elastic.purchase if kind != "on-demand"]
    return tuple(dict.fromkeys(sold)) or ("spot",)


def elastic_problems(spec: ClusterSpec) -> list[str]:
    """Why the engine can't carry what is asked of it."""
    elastic = spec.elastic
    if elastic is None or elastic.engine == "native":
        return []
    # On demand is a loss rather than a mistake: no engine can buy these machines so.
    asked = [kind for kind in elastic.purchase if kind != "on-demand"]
    return karpenter_problems(elastic_shape(CLOUD, spec.accelerator).machine_type, purchase=asked)


def elastic_losses(spec: ClusterSpec, plan: ElasticPlan | None) -> list[str]:
    """What the elastic pool can't give of what the spec asks."""
    if plan is None or spec.elastic is None:
        return []
    losses: list[str] = []
    if plan.shape.accelerator != spec.accelerator:
        losses.append(
            f"elastic pool: no machine with a single {spec.accelerator.upper()}; {plan.shape.machine_type} has one "
            f"{plan.shape.accelerator.upper()}"
        )
    if "on-demand" in spec.elastic.purchase:
        losses.append(
            f"elastic pool: {plan.shape.machine_type} is sold as Spot or flex-start, never on demand; it is "
            f"{' or '.join(plan.purchase)} here, and a machine that is taken back ends its job"
        )
    return losses


def elastic_notes(plan: ElasticPlan | None) -> list[str]:
    """What whoever reads the plan should know of the engine."""
    return [] if plan is None or plan.engine == "native" else [KARPENTER_NOTE]
