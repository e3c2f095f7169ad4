"""AKS node pools that are resources of their own."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.aks_nodes import node_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.subject import Subject


@prices("azure-native:containerservice:AgentPool")
def agent_pool(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """`count` machines, within the bounds of autoscaling, and their system disks; a pool has no price of its own."""
    yield from node_lines(ask, (), region=place_of(ask), name=ask.resource.name)
