"""AKS node pools that are resources of their own."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.aks_nodes import node_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.pricing import Pricing


@prices("azure-native:containerservice:AgentPool")
def agent_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`count` machines, within the bounds of autoscaling, and their system disks; a pool has no price of its own."""
    yield from node_lines(item, (), region=place_of(item), name=item.resource.name)
