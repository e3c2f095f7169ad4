"""GPU machines on Azure, and the training pools among them: several GPU nodes that train together.

AKS node pools and scale sets contain them. ND nodes of one size in one component are one training pool, even if they
come from several of these; without a component those of one cluster are. So are other GPU nodes with the label
`gpucluster/pool: training`. That label, or one that a Kueue ResourceFlavor selects by, separates pools. A single node
is not a training pool, nor are nodes labelled `gpucluster/single-node: "true"` or with sliced GPUs (MIG).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Final

from gpucluster.catalog.azure_sizes import Size, size_of
from gpucluster.policies.clouds.azure import scale_sets
from gpucluster.policies.clouds.azure.names import made_by_name
from gpucluster.policies.clouds.azure.scale_sets import written_sets
from gpucluster.policies.clouds.azure.written import AGENT_POOL, CLUSTER, Written, written_pools
from gpucluster.policies.clouds.kubernetes.pool_labels import for_single_nodes, for_training, telling_labels
from gpucluster.policies.machines import Machines, several
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown, once
from gpucluster.program.values import text
from gpucluster.record import record

AKS: Final = f"{AGENT_POOL}, {CLUSTER}"
READS: Final = f"{AKS}, {scale_sets.READS}"


@record(kw_only=True)
class AgentPool(Machines):
    """
    written: the pool as declared.
    cluster: its cluster; None if it is not in this stack.
    """

    written: Written
    cluster: Resource | None

    @property
    def name(self) -> str:
        return self.written.name

    @property
    def size(self) -> Size | None:
        return self.written.size

    @property
    def infiniband(self) -> bool:
        return self.size is not None and self.size.infiniband

    @property
    def with_gpus(self) -> bool:
        return self.size is not None and self.size.computes

    @property
    def sliced(self) -> bool:
        return self.written.sliced

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        return self.written.own_labels

    @property
    def surely_on_fabric(self) -> bool:
        return self.size is not None and (self.size.trains or for_training(self.written.labels))


@once
def machines_of(resources: Resources) -> Iterator[AgentPool]:
    """The node pools and scale sets of the stack that may start a node."""
    made = (resource for type_ in (AGENT_POOL, CLUSTER) for resource in resources.of_type(type_))
    in_aks = (written for resource in made for written in written_pools(resource))
    for written in (*in_aks, *written_sets(resources)):
        pool = _read(written, resources)
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
    written = pool.written
    if pool.sliced or for_single_nodes(written.labels):
        return False
    # For an unknown size, only settings for GPUs decide.
    hidden = pool.machine is UNKNOWN and (written.at("gpuProfile") is not None or for_training(written.labels))
    return pool.surely_on_fabric or hidden


def _pool_of(pool: AgentPool, resources: Resources, keys: list[str]) -> Hashable:
    if not isinstance(pool.machine, str):
        return (pool.resource.urn, pool.name)
    resource = pool.resource
    around = resources.component_of(resource) or pool.cluster
    within = around.urn if around else text(resource.inputs, "resourceName")
    return (within, pool.machine.lower(), *(str(pool.written.labels.get(key)) for key in keys))


def _read(written: Written, resources: Resources) -> AgentPool:
    return AgentPool(
        resource=written.resource,
        machine=written.machine,
        nodes=written.nodes,
        written=written,
        cluster=written.resource if written.prop else _cluster(written, resources) if written.aks else None,
    )


def _cluster(written: Written, resources: Resources) -> Resource | None:
    key = "resourceName"
    return written.referred(resources, key, CLUSTER) or made_by_name(resources, CLUSTER, written.at(key), key)
