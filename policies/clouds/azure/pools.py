"""AKS node pools with GPUs, and the training pools among them: several GPU nodes that train together.

A pool is a resource of its own or written inside its cluster. ND nodes of one size in one component are one training
pool, however many node pools these come from; without a component those of one cluster are. So are other GPU nodes
with the label `gpucluster/pool: training`. That label, or one that a Kueue ResourceFlavor selects by, tells pools
apart. One node is no training pool, nor are nodes labelled `gpucluster/single-node: "true"` or with sliced GPUs (MIG).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from gpucluster.catalog.azure_sizes import Size, size_of
from gpucluster.policies.clouds.azure.names import made_by_name
from gpucluster.policies.clouds.kubernetes.pool_labels import (
    for_single_nodes,
    for_training,
    sliced_by_label,
    telling_labels,
)
from gpucluster.policies.label_sets import Place, labels_at
from gpucluster.policies.machines import Labelled, Machines, several
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, flag, items, text, whole

__all__ = [
    "CLUSTER",
    "READS",
    "SCALE_SETS",
    "AgentPool",
    "Written",
    "every_pool",
    "fabric_pools",
    "labelled",
    "sliced_pools",
    "training_pools",
    "written_pools",
]

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
SCALE_SETS: Final = "VirtualMachineScaleSets"

_AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
READS: Final = _AGENT_POOL
_INSIDE: Final = "agentPoolProfiles"
_STACK: Final = "pulumi:pulumi:Stack"

# What is asked of a pool that is not known yet.
_UNSEEN: Final = (
    "name",
    "vmSize",
    "count",
    "type",
    "gpuProfile",
    "availabilityZones",
    "upgradeSettings",
    "scaleSetPriority",
    "tags",
    "nodeLabels",
)

# Labels AKS itself gives every node.
_POOL_NAME_LABELS: Final = ("agentpool", "kubernetes.azure.com/agentpool")


@dataclass(frozen=True, kw_only=True)
class Written:
    """A node pool as it is written, alone or inside its cluster.

    resource: the node pool, or the cluster it is written in.
    inputs: as `azure-native:containerservice:AgentPool` has them.
    prop: the input of the cluster it stands under; None for a resource of its own.
    place: where `inputs` stand in those of the resource.
    """

    resource: Resource
    inputs: Mapping[str, Any]
    prop: str | None = None
    place: Place = ()

    @property
    def own_name(self) -> str | Unknown | None:
        """Its name in the cluster."""
        return text(self.inputs, "name" if self.prop else "agentPoolName")

    @property
    def name(self) -> str:
        inside = self.prop is not None and isinstance(self.own_name, str)
        return f"{self.resource.name}/{self.own_name}" if inside else self.resource.name

    def at(self, *path: str | int) -> Any:
        return at(self.inputs, *path)

    @property
    def kind(self) -> str | Unknown | None:
        """What it is made of: a scale set, an availability set or single machines."""
        return text(self.inputs, "type")

    @property
    def machine(self) -> str | Unknown | None:
        """Its VM size; of a pool of single machines one with InfiniBand, if any, else the first."""
        listed = self._listed()
        if listed is UNKNOWN:
            return UNKNOWN
        if not listed:
            return text(self.inputs, "vmSize")
        sizes = [text(entry, "size") for entry in listed]
        on_fabric = (name for name in sizes if isinstance(name, str) and (size := size_of(name)) and size.infiniband)
        return next(on_fabric, sizes[0])

    @property
    def size(self) -> Size | None:
        """What its VM size says; None when it is not known or has no accelerator."""
        return size_of(self.machine) if isinstance(self.machine, str) else None

    @property
    def nodes(self) -> int | Unknown:
        """The most it may hold; AKS makes one node where nothing says how many."""
        listed = self._listed()
        if listed is UNKNOWN:
            return UNKNOWN
        if listed:
            counts = [whole(entry, "count") for entry in listed if text(entry, "size") == self.machine]
        else:
            scaled = flag(self.inputs, "enableAutoScaling")
            counts = [whole(self.inputs, "count"), *([whole(self.inputs, "maxCount")] if scaled is not False else [])]
        if any(count is UNKNOWN for count in counts):
            return UNKNOWN
        known = [count for count in counts if isinstance(count, int)]
        return (sum(known) if listed else max(known)) if known else 1

    @property
    def sliced(self) -> bool:
        """Whether its GPUs are MIG slices."""
        return isinstance(text(self.inputs, "gpuInstanceProfile"), str) or sliced_by_label(self.labels)

    @property
    def labels(self) -> Mapping[str, Any]:
        """Labels of its nodes as far as they are known."""
        given = labels_at(self.at("nodeLabels"))
        own = self.own_name if isinstance(self.own_name, str) else self.name
        return {**dict.fromkeys(_POOL_NAME_LABELS, own), **({} if given is UNKNOWN else given)}

    def referred(self, resources: Resources, prop: str, type_: str) -> Resource | None:
        """What input `prop` takes its value from, where the source of a pool written alone tells."""
        return resources.referred(self.resource, self.prop or prop, type_)

    def _listed(self) -> list[Any] | Unknown:
        """Sizes and counts of a pool of single machines, empty for a scale set."""
        return items(self.inputs, "virtualMachinesProfile", "scale", "manual")


@dataclass(frozen=True, kw_only=True)
class AgentPool(Machines):
    """
    written: the pool as it is written.
    cluster: its cluster; None when this stack does not make it.
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
    def surely_on_fabric(self) -> bool:
        return self.size is not None and (self.size.trains or for_training(self.written.labels))


def written_pools(resource: Resource) -> Iterator[Written]:
    """The node pools that a resource is or contains."""
    if resource.type == _AGENT_POOL:
        yield Written(resource=resource, inputs=resource.inputs)
    elif resource.type == CLUSTER:
        listed = items(resource.inputs, _INSIDE)
        if listed is UNKNOWN:
            yield Written(resource=resource, inputs=dict.fromkeys(_UNSEEN, UNKNOWN), prop=_INSIDE)
            return
        for index, pool in enumerate(listed):
            if isinstance(pool, Mapping):
                inputs = cast("Mapping[str, Any]", pool)
                yield Written(resource=resource, inputs=inputs, prop=_INSIDE, place=(_INSIDE, index))


def every_pool(resources: Resources) -> Iterator[AgentPool]:
    """The node pools of the stack that may start a node."""
    for type_ in (_AGENT_POOL, CLUSTER):
        for resource in resources.of_type(type_):
            for written in written_pools(resource):
                pool = _read(written, resources)
                if pool.nodes != 0:
                    yield pool


def fabric_pools(resources: Resources) -> Iterator[AgentPool]:
    """The node pools whose nodes train together as soon as they are several."""
    for pool in every_pool(resources):
        if _may_train(pool):
            yield pool


def training_pools(resources: Resources) -> Iterator[tuple[AgentPool, ...]]:
    """Each training pool of the stack, as the node pools it is made of, in the order of their names."""
    keys = telling_labels(resources)
    return several((_pool_of(pool, resources, keys), pool) for pool in fabric_pools(resources))


def sliced_pools(resources: Resources) -> Iterator[AgentPool]:
    """Those with GPUs that are MIG slices."""
    return (pool for pool in every_pool(resources) if pool.written.sliced)


def labelled(resources: Resources) -> Iterator[Labelled]:
    """The node pools, by the labels of their nodes."""
    for pool in every_pool(resources):
        yield Labelled(pool.resource, pool.name, pool.written.labels, pool.written.sliced)


def _may_train(pool: AgentPool) -> bool:
    written = pool.written
    if written.sliced or for_single_nodes(written.labels):
        return False
    # Of a size not known yet, only what is set for GPUs tells.
    hidden = pool.machine is UNKNOWN and (written.at("gpuProfile") is not None or for_training(written.labels))
    return pool.surely_on_fabric or hidden


def _pool_of(pool: AgentPool, resources: Resources, keys: list[str]) -> Hashable:
    if not isinstance(pool.machine, str):
        return (pool.resource.urn, pool.name)
    resource = pool.resource
    around = (parent.urn for parent in resources.parents(resource) if not parent.custom and parent.type != _STACK)
    within = next(around, None) or (pool.cluster.urn if pool.cluster else text(resource.inputs, "resourceName"))
    return (within, pool.machine.lower(), *(str(pool.written.labels.get(key)) for key in keys))


def _read(written: Written, resources: Resources) -> AgentPool:
    return AgentPool(
        resource=written.resource,
        machine=written.machine,
        nodes=written.nodes,
        written=written,
        cluster=written.resource if written.prop else _cluster(written, resources),
    )


def _cluster(written: Written, resources: Resources) -> Resource | None:
    key = "resourceName"
    return written.referred(resources, key, CLUSTER) or made_by_name(resources, CLUSTER, written.at(key), key)
