"""GKE node pools with GPUs, and the training pools among them: several GPU nodes that train together.

A pool is a resource of its own or written inside its cluster. Whole GPU nodes of one type in one component are one
training pool, however many node pools these come from; without a component those of one cluster are. The node label
`gpucluster/pool`, or one that a Kueue ResourceFlavor selects by, tells pools apart. One node is no training pool, nor
are nodes whose GPUs are sliced (MIG). A pool with accelerators whose machine type is not known yet may be one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from gpucluster.catalog.gpudirect import Fabric, fabric_of
from gpucluster.catalog.machines import Machine, has_gpus, machines
from gpucluster.policies.clouds.gcp.names import is_zone, made_by_name
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label, telling_labels
from gpucluster.policies.label_sets import Place, labels_at
from gpucluster.policies.machines import Labelled, Machines, several
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, flag, items, text, whole

__all__ = [
    "READS",
    "NodePool",
    "Written",
    "Zones",
    "cluster_of",
    "every_pool",
    "labelled",
    "node_pools",
    "sliced_pools",
    "training_pools",
    "written_pools",
]

_NODE_POOL: Final = "gcp:container/nodePool:NodePool"
_CLUSTER: Final = "gcp:container/cluster:Cluster"

READS: Final = _NODE_POOL

_STACK: Final = "pulumi:pulumi:Stack"

# What is asked of a pool that is not known yet.
_UNSEEN: Final = ("nodeConfig", "nodeCount", "nodeLocations", "networkConfig", "upgradeSettings", "management")

# A label GKE itself gives every node.
_POOL_NAME_LABEL: Final = "cloud.google.com/gke-nodepool"

# GKE page "Regional clusters": by default each node pool is replicated across three zones of the region.
_DEFAULT_ZONES: Final = 3


@dataclass(frozen=True, kw_only=True)
class Written:
    """A node pool as it is written, alone or inside its cluster.

    resource: the node pool, or the cluster it is written in.
    inputs: as `gcp:container/nodePool:NodePool` has them.
    prop: the input of the cluster it stands under; None for a resource of its own.
    place: where `inputs` stand in those of the resource.
    """

    resource: Resource
    inputs: Mapping[str, Any]
    prop: str | None = None
    place: Place = ()

    @property
    def name(self) -> str:
        own = text(self.inputs, "name") if self.prop == "nodePools" else None
        return self.resource.name if own is None or own is UNKNOWN else f"{self.resource.name}/{own}"

    def at(self, *path: str | int) -> Any:
        return at(self.inputs, *path)

    @property
    def machine(self) -> str | Unknown | None:
        return text(self.inputs, "nodeConfig", "machineType")

    @property
    def known(self) -> Machine | None:
        """Its machine type in the catalog; None when it is not known or not there."""
        return machines().get(self.machine) if isinstance(self.machine, str) else None

    @property
    def fabric(self) -> Fabric | None:
        """How the GPUs of its nodes talk; None when that is not known, and where it is over the one interface."""
        return None if self.known is None else fabric_of(self.known)

    @property
    def with_gpus(self) -> bool:
        """Whether its nodes certainly have GPUs."""
        listed = items(self.inputs, "nodeConfig", "guestAccelerators")
        return bool(listed is not UNKNOWN and listed) or (
            isinstance(self.machine, str) and has_gpus("gcp", self.machine)
        )

    @property
    def labels(self) -> Mapping[str, Any]:
        """Labels of its nodes as far as they are known."""
        given = labels_at(self.at("nodeConfig", "labels"))
        return {} if given is UNKNOWN else given

    @property
    def sliced(self) -> bool:
        """Whether its GPUs are MIG slices."""
        listed = items(self.inputs, "nodeConfig", "guestAccelerators")
        return listed is not UNKNOWN and any(isinstance(text(gpu, "gpuPartitionSize"), str) for gpu in listed)

    @property
    def flexible(self) -> bool:
        """Whether its machines come when there are some: flex-start or queued provisioning."""
        queued = flag(self.inputs, "queuedProvisioning", "enabled")
        return True in (flag(self.inputs, "nodeConfig", "flexStart"), queued)

    def dependencies(self, prop: str) -> tuple[str, ...]:
        """URNs of what an input takes its value from."""
        return self.resource.dependencies.get(self.prop or prop, ())

    def referred(self, resources: Resources, prop: str, type_: str) -> Resource | None:
        """What input `prop` takes its value from, where the source of a pool written alone tells."""
        return resources.referred(self.resource, self.prop or prop, type_)


@dataclass(frozen=True, kw_only=True)
class Zones:
    """
    names: where the nodes stand; UNKNOWN when that is not known.
    count: how many zones these are.
    region: where GKE chooses the zones, the region it chooses in.
    """

    names: tuple[str, ...] | Unknown
    count: int | Unknown
    region: str | None = None


@dataclass(frozen=True, kw_only=True)
class NodePool(Machines):
    """
    written: the pool as it is written.
    cluster: its cluster; None when this stack does not make it.
    """

    written: Written
    cluster: Resource | None
    zones: Zones

    @property
    def name(self) -> str:
        return self.written.name

    @property
    def fabric(self) -> Fabric | None:
        return self.written.fabric

    @property
    def whole_node(self) -> bool:
        return self.written.known is not None and self.written.known.whole_node

    @property
    def surely_on_fabric(self) -> bool:
        return self.whole_node


def written_pools(resource: Resource) -> Iterator[Written]:
    """The node pools that a resource is or contains."""
    if resource.type == _NODE_POOL:
        yield Written(resource=resource, inputs=resource.inputs)
    elif resource.type == _CLUSTER:
        yield from _inside(resource)


def every_pool(resources: Resources) -> Iterator[Written]:
    """The node pools of the stack, as they are written."""
    for type_ in (_NODE_POOL, _CLUSTER):
        for resource in resources.of_type(type_):
            yield from written_pools(resource)


def _inside(cluster: Resource) -> Iterator[Written]:
    listed = items(cluster.inputs, "nodePools")
    if listed is UNKNOWN:
        yield Written(resource=cluster, inputs=dict.fromkeys(_UNSEEN, UNKNOWN), prop="nodePools")
        return
    for index, pool in enumerate(listed):
        if isinstance(pool, Mapping):
            inputs = cast("Mapping[str, Any]", pool)
            yield Written(resource=cluster, inputs=inputs, prop="nodePools", place=("nodePools", index))
    removed = flag(cluster.inputs, "removeDefaultNodePool")
    if not listed and removed is not True and at(cluster.inputs, "nodeConfig") is not None:
        default = {key: cluster.inputs.get(key) for key in ("nodeConfig", "initialNodeCount")}
        yield Written(resource=cluster, inputs=default, prop="nodeConfig")


def training_pools(resources: Resources) -> Iterator[tuple[NodePool, ...]]:
    """Each training pool of the stack, as the node pools it is made of, in the order of their names."""
    keys = telling_labels(resources)
    return several((_pool_of(pool, resources, keys), pool) for pool in node_pools(resources) if _may_train(pool))


def node_pools(resources: Resources) -> Iterator[NodePool]:
    """The node pools of the stack that may start a node."""
    for written in every_pool(resources):
        pool = _read(written, resources)
        if pool.nodes != 0:
            yield pool


def sliced_pools(resources: Resources) -> Iterator[NodePool]:
    """Those with GPUs that are MIG slices."""
    return (pool for pool in node_pools(resources) if pool.written.sliced)


def labelled(resources: Resources) -> Iterator[Labelled]:
    """The node pools, by the labels of their nodes."""
    for written in every_pool(resources):
        sliced = written.sliced or sliced_by_label(written.labels)
        yield Labelled(written.resource, written.name, written.labels, sliced)


def _may_train(pool: NodePool) -> bool:
    if pool.written.sliced:
        return False
    accelerators = items(pool.written.inputs, "nodeConfig", "guestAccelerators")
    return pool.whole_node or (pool.machine is UNKNOWN and (accelerators is UNKNOWN or bool(accelerators)))


def _pool_of(pool: NodePool, resources: Resources, keys: list[str]) -> Hashable:
    if not pool.whole_node:
        return (pool.resource.urn, pool.name)
    resource = pool.resource
    around = (parent.urn for parent in resources.parents(resource) if not parent.custom and parent.type != _STACK)
    within = next(around, None) or (pool.cluster.urn if pool.cluster else text(resource.inputs, "cluster"))
    given = labels_at(pool.written.at("nodeConfig", "labels"))
    labels = {_POOL_NAME_LABEL: pool.name, **({} if given is UNKNOWN else given)}
    return (within, pool.machine, *(str(labels.get(key)) for key in keys))


def _read(written: Written, resources: Resources) -> NodePool:
    cluster = written.resource if written.prop else cluster_of(written, resources)
    zones = _zones(written, cluster)
    return NodePool(
        resource=written.resource,
        machine=written.machine,
        nodes=_most(written, zones.count),
        written=written,
        cluster=cluster,
        zones=zones,
    )


def cluster_of(written: Written, resources: Resources) -> Resource | None:
    """Its cluster; None when this stack does not make it."""
    return written.referred(resources, "cluster", _CLUSTER) or made_by_name(resources, _CLUSTER, written.at("cluster"))


def _zones(written: Written, cluster: Resource | None) -> Zones:
    """Those the pool names, else its cluster's: its own zone and the further ones, or three that GKE chooses."""
    own = items(written.inputs, "nodeLocations")
    of_cluster = items(cluster.inputs, "nodeLocations") if cluster else []
    location = text(written.inputs, "location")
    if location is None and cluster is not None:
        location = text(cluster.inputs, "location")
    if own is UNKNOWN or own:
        return _named(own)
    if not isinstance(location, str) or of_cluster is UNKNOWN:
        return Zones(names=UNKNOWN, count=UNKNOWN)
    if is_zone(location):
        return _named([location, *of_cluster])
    return _named(of_cluster) if of_cluster else Zones(names=UNKNOWN, count=_DEFAULT_ZONES, region=location)


def _named(listed: list[Any] | Unknown) -> Zones:
    if listed is UNKNOWN:
        return Zones(names=UNKNOWN, count=UNKNOWN)
    names = tuple(sorted({zone for zone in listed if isinstance(zone, str)}))
    if any(zone is UNKNOWN for zone in listed):
        return Zones(names=UNKNOWN, count=1 if len(listed) == 1 else UNKNOWN)
    return Zones(names=names, count=len(names))


def _most(written: Written, zones: int | Unknown) -> int | Unknown:
    """Node counts are for each zone, but for the totals of the autoscaler."""
    each = [
        whole(written.inputs, *path)
        for path in (("nodeCount",), ("initialNodeCount",), ("autoscaling", "maxNodeCount"))
    ]
    total = whole(written.inputs, "autoscaling", "totalMaxNodeCount")
    if total is UNKNOWN or any(count is UNKNOWN for count in each):
        return UNKNOWN
    most = max((count for count in each if isinstance(count, int)), default=0)
    if most and zones is UNKNOWN:
        return UNKNOWN
    return max(most * zones if isinstance(zones, int) else 0, total if isinstance(total, int) else 0)
