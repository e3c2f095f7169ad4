"""GPU machines on Azure, and the training pools among them: several GPU nodes that train together.

AKS node pools and scale sets contain them; `policies.clouds.pools` says which are one pool. ND nodes train together,
and other GPU nodes with the label `gpucluster/pool: training`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.azure_regions import Size
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, once
from gpucluster.policies.clouds.azure.declared_pools import (
    AGENT_POOL,
    CLUSTER,
    SCALE_SET,
    AzurePool,
    declared_pools,
    made_by_name,
    scale_sets,
)
from gpucluster.policies.clouds.kubernetes.pool_labels import for_training
from gpucluster.policies.clouds.pools import PoolMachines, pools_of

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

    @property
    def joins(self) -> bool:
        return isinstance(self.machine, str)


@once
def machines_of(resources: Resources) -> Iterator[AgentPool]:
    """The node pools and scale sets of the stack that may start a node."""
    made = resources.of_type(AGENT_POOL, CLUSTER)
    in_aks = (declared for resource in made for declared in declared_pools(resource))
    for declared in (*in_aks, *scale_sets(resources)):
        pool = _read(declared, resources)
        if pool.nodes != 0:
            yield pool


@once
def fabric_pools(resources: Resources) -> Iterator[AgentPool]:
    """The node pools whose nodes train together if there are several."""
    for pool in machines_of(resources):
        if _may_train(pool) and not pool.aside(resources):
            yield pool


@once
def training_pools(resources: Resources) -> Iterator[tuple[AgentPool, ...]]:
    """Each training pool of the stack, as its node pools ordered by name."""
    return pools_of(fabric_pools(resources), resources)


def _may_train(pool: AgentPool) -> bool:
    declared = pool.declared
    # For an unknown size, only settings for GPUs decide.
    hidden = pool.machine is UNKNOWN and (declared.at("gpuProfile") is not None or for_training(declared.labels))
    return pool.surely_on_fabric or hidden


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
