"""A paused cluster: no training and MIG nodes for now; data, network and control plane stay. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from gpucluster.components.cluster.cloud import ClusterPlan
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.pools import Purchase

PAUSED: Final = "paused"
"""The key of a stack's configuration that pauses it."""

_NOTE: Final = (
    "paused: training and MIG pools have 0 nodes; jobs wait in their queues until `gpucluster resume`; elastic pools "
    "still scale with their jobs"
)


def refuse_pause(purchase: Purchase, planning: Planning[Any]) -> None:
    """A cluster that can't be paused."""
    if purchase.kind == "flex-start":
        seen = "is 'true', but flex-start nodes exist only while a job runs"
        planning.refuse_config(PAUSED, seen, "remove it: without jobs there are no nodes")


def paused(plan: ClusterPlan) -> ClusterPlan:
    """The plan with 0 nodes in its training pool, as before a capacity block begins, and in its MIG pool."""
    given: Any = plan
    # Without GPUs, a GPU-hour has no price.
    facts = replace(plan.facts, training_gpus=None, spare_gpus=None, notes=(*plan.facts.notes, _NOTE))
    mig = None if given.mig is None else replace(given.mig, nodes=0)
    return replace(given, training=replace(given.training, active=False), mig=mig, facts=facts)
