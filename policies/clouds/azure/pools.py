"""GPU machines on Azure, and the training pools among them: several GPU nodes that train together.

AKS node pools and scale sets contain them. ND nodes of one size in one component are one training pool, even if they
come from several of these; without a component those of one cluster are. So are other GPU nodes with the label
`gpucluster/pool: training`. That label, or one that a Kueue ResourceFlavor selects by, separates pools. A single node
is not a training pool, nor are nodes labelled `gpucluster/single-node: "true"` or with sliced GPUs (MIG).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.azure_regions import Size, size_of
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, once
from gpucluster.core.program.values import text
from gpucluster.policies.clouds.azure.declared_pools import (
    AGENT_POOL,
    CLUSTER,
    SCALE_SET,
    AzurePool,
    declared_pools,
    made_by_name,
    scale_sets,
)
from gpucluster.policies.clouds.kubernetes.pool_labels import for_single_nodes, for_training, telling_labels
from gpucluster.policies.clouds.pools import PoolMachines, several

AKS: Final = f"{AGENT_POOL}, {CLUSTER}"
READS: Final = f"{AKS}, {SCALE_SET}"


@dataclass(frozen=True, kw_only=True)
class AgentPool(PoolMachines):
    declared: AzurePool

    @property
    def size(self) -> Size | None:
        return self.declared.size

    @property
    def infiniband(self) -> bool:
        return self.size is not None and self.size.infiniband

    @property
    def with_gpus(self) -> bool:
        return self.size is not None and self.size.computes

    @property
    def sliced(self) -> bool:
        return self.declared.sliced

    @property
    def surely_on_fabric(self) -> bool:
        return self.size is not None and (self.size.trains or for_training(self.declared.labels))


@once
def machines_of(resources: Resources) -> Iterator[AgentPool]:
    """The node pools and scale sets of the stack that may start a node."""
    made = resources.of_type(AGENT_POOL, CLUSTER)
    in_aks = (declared for resource in made for declared in declared_pools(resource))
    for declared in (*in_aks, *scale_sets(resources)):
        pool = _read(declared, resources)
        if pool.nodes != 0:
            yield pool


def names_gpus(word: str) -> bool:
    """Whether a word is a VM size with GPUs."""
    size = size_of(word)
    return size is not None and size.computes


@once
def fabric_pools(resources: Resources) -> Iterator[AgentPool]:
    """The node pools whose nodes train together if there are several."""
    for pool in machines_of(resources):
        if _may_train(pool):
            yield pool


@once
def training_pools(resources: Resources) -> Iterator[tuple[AgentPool, ...]]:
    """Each training pool of the stack, as its node pools ordered by name."""
    keys = telling_labels(resources)
    return several((_pool_of(pool, resources, keys), pool) for pool in fabric_pools(resources))


def _may_train(pool: AgentPool) -> bool:
    declared = pool.declared
    if pool.sliced or for_single_nodes(declared.labels):
        return False
    # For an unknown size, only settings for GPUs decide.
    hidden = pool.machine is UNKNOWN and (declared.at("gpuProfile") is not None or for_training(declared.labels))
    return pool.surely_on_fabric or hidden


def _pool_of(pool: AgentPool, resources: Resources, keys: list[str]) -> Hashable:
    if not isinstance(pool.machine, str):
        return (pool.resource.urn, pool.name)
    resource = pool.resource
    around = resources.component_of(resource) or pool.cluster
    within = around.urn if around else text(resource.inputs, "resourceName")
    return (within, pool.machine.lower(), *(str(pool.declared.labels.get(key)) for key in keys))


def _read(declared: AzurePool, resources: Resources) -> AgentPool:
    return AgentPool(
        resource=declared.resource,
        machine=declared.machine,
        nodes=declared.nodes,
        declared=declared,
        cluster=declared.resource if declared.prop else _cluster(declared, resources) if declared.managed else None,
    )


def _cluster(declared: AzurePool, resources: Resources) -> Resource | None:
    key = "resourceName"
    return declared.referred(resources, key, CLUSTER) or made_by_name(resources, CLUSTER, declared.at(key), key)
