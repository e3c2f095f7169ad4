"""The elastic pool: single-node GPU capacity that comes and goes with the jobs. Imports no Pulumi."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from components.azure.machines import CLOUD
from components.shapes import Shape, elastic_shape
from components.spec import ClusterSpec

__all__ = ["PROVISIONING_CLASS", "ElasticPlan", "elastic_losses", "elastic_notes", "plan_elastic"]

Purchase = Literal["on-demand", "spot"]

PROVISIONING_CLASS: Final = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
"""By which a queue asks the cluster autoscaler for all nodes of a job at once.

Source: AKS documentation, configure-kueue-with-cluster-autoscaler (2026-07-17).
"""


@dataclass(frozen=True, kw_only=True)
class ElasticPlan:
    """shape: the smallest machine, without InfiniBand. purchase: in the order of the spec. max_gpus, expected_gpus:
    limit and average use, in GPUs. root_gib: on the machine's own disk, for what jobs keep on a node, too.
    """

    engine: Literal["karpenter", "native"]
    shape: Shape
    purchase: tuple[Purchase, ...]
    max_gpus: int
    expected_gpus: str | None
    root_gib: int = 1_000

    @property
    def most_nodes(self) -> int:
        return self.max_gpus // self.shape.gpus


def plan_elastic(spec: ClusterSpec) -> ElasticPlan | None:
    """The pool on the smallest machine; what is bought another way than Azure sells is refused elsewhere."""
    elastic = spec.elastic
    if elastic is None:
        return None
    shape = elastic_shape(CLOUD, spec.accelerator)
    sold: list[Purchase] = [kind for kind in elastic.purchase if kind != "flex-start"]
    return ElasticPlan(
        engine=elastic.engine,
        shape=shape,
        purchase=tuple(dict.fromkeys(sold)),
        max_gpus=math.ceil(elastic.max_gpus / shape.gpus) * shape.gpus,
        expected_gpus=None if elastic.expected_gpus is None else str(elastic.expected_gpus),
    )


def elastic_losses(spec: ClusterSpec, plan: ElasticPlan | None) -> list[str]:
    """What the elastic pool can't give of what the spec asks."""
    if plan is None:
        return []
    machine = plan.shape.machine_type
    if plan.shape.accelerator != spec.accelerator:
        asked = spec.accelerator.upper()
        return [f"elastic pool: no machine with a single {asked}; {machine} has one H100 NVL with 94 GB"]
    return [f"elastic pool: {machine} has an H100 NVL with 94 GB, not the SXM with 80 GB of the training nodes"]


def elastic_notes(plan: ElasticPlan | None) -> list[str]:
    """What whoever reads the plan should know of the engine."""
    if plan is None or plan.engine == "native":
        return []
    notes = [
        "elastic pool: node auto provisioning makes single machines outside of any scale set, so it never reaches "
        "InfiniBand; the training pool is fixed, and no other pool may autoscale beside it"
    ]
    if len(plan.purchase) > 1:
        # Azure/karpenter-provider-azure issue 761.
        notes.append(
            "elastic pool: where spot is not to be had a job may stay pending: node auto provisioning does not fall "
            "back to on demand within one request; elastic.engine: native has a pool for each"
        )
    return notes
