"""GPU machines on Google Cloud, and the training pools among them: several GPU nodes that train together.

GKE node pools and managed instance groups contain them. Full GPU nodes of one type in one component are one training
pool, even if they come from several of these; without a component those of one cluster are. The node label
`gpucluster/pool`, or one that a Kueue ResourceFlavor selects by, separates pools. A single node is not a training pool,
nor are nodes with sliced GPUs (MIG). A pool with accelerators and an unknown machine type may be one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, ClassVar, Final

from gpucluster.catalog.gpudirect import Fabric
from gpucluster.catalog.machines import has_gpus, unlisted
from gpucluster.policies.clouds.gcp import instance_groups
from gpucluster.policies.clouds.gcp.instance_groups import written_groups
from gpucluster.policies.clouds.gcp.names import is_zone, made_by_name
from gpucluster.policies.clouds.gcp.written import CLUSTER, NODE_POOL, Written, written_pools
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label, telling_labels
from gpucluster.policies.machines import Machines, several
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown, once
from gpucluster.program.values import items, text, whole
from gpucluster.record import record

GKE: Final = f"{NODE_POOL}, {CLUSTER}"
READS: Final = f"{GKE}, {instance_groups.READS}"


# A label that GKE sets on every node.
_POOL_NAME_LABEL: Final = "cloud.google.com/gke-nodepool"

# GKE page "Regional clusters": by default each node pool is replicated across three zones of the region.
_DEFAULT_ZONES: Final = 3


@record(kw_only=True)
class Zones:
    """
    names: zones of the nodes; UNKNOWN before they are known.
    count: number of these zones.
    region: if the cloud chooses the zones, their region.
    """

    names: tuple[str, ...] | Unknown
    count: int | Unknown
    region: str | None = None


@record(kw_only=True)
class NodePool(Machines):
    """
    written: the pool as declared.
    cluster: its cluster; None if it is not in this stack.
    """

    written: Written
    cluster: Resource | None
    zones: Zones

    template_is: ClassVar[str] = "instance template"

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

    @property
    def with_gpus(self) -> bool:
        return self.written.with_gpus

    @property
    def unlisted(self) -> bool:
        return isinstance(self.machine, str) and unlisted("gcp", self.machine)

    @property
    def sliced(self) -> bool:
        return self.written.sliced or sliced_by_label(self.written.labels)

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        return self.written.own_labels


def every_written(resources: Resources) -> Iterator[Written]:
    """The node pools and managed instance groups of the stack, in the form of declared node pools."""
    yield from every_pool(resources)
    yield from written_groups(resources)


def every_pool(resources: Resources) -> Iterator[Written]:
    """The node pools of the stack, as declared."""
    for type_ in (NODE_POOL, CLUSTER):
        for resource in resources.of_type(type_):
            yield from written_pools(resource)


def names_gpus(word: str) -> bool:
    """Whether a word is a machine type with GPUs, or a GPU type that Compute Engine attaches."""
    return has_gpus("gcp", word) or word.startswith("nvidia-")


@once
def training_pools(resources: Resources) -> Iterator[tuple[NodePool, ...]]:
    """Each training pool of the stack, as its node pools ordered by name."""
    keys = telling_labels(resources)
    return several((_pool_of(pool, resources, keys), pool) for pool in machines_of(resources) if _may_train(pool))


@once
def machines_of(resources: Resources) -> Iterator[NodePool]:
    """The node pools and instance groups of the stack that may start a node."""
    for written in every_written(resources):
        pool = _read(written, resources)
        if pool.nodes != 0:
            yield pool


def _may_train(pool: NodePool) -> bool:
    if pool.written.sliced:
        return False
    accelerators = items(pool.written.inputs, "nodeConfig", "guestAccelerators")
    return pool.whole_node or (pool.machine is UNKNOWN and (accelerators is UNKNOWN or bool(accelerators)))


def _pool_of(pool: NodePool, resources: Resources, keys: list[str]) -> Hashable:
    if not pool.whole_node:
        return (pool.resource.urn, pool.name)
    resource = pool.resource
    around = resources.component_of(resource) or pool.cluster
    within = around.urn if around else text(resource.inputs, "cluster")
    labels = {_POOL_NAME_LABEL: pool.name, **pool.written.labels}
    return (within, pool.machine, *(str(labels.get(key)) for key in keys))


def _read(written: Written, resources: Resources) -> NodePool:
    cluster = written.resource if written.prop else cluster_of(written, resources)
    zones = _zones(written, cluster)
    return NodePool(
        resource=written.resource,
        machine=written.machine,
        template=written.template,
        nodes=_most(written, zones.count),
        written=written,
        cluster=cluster,
        zones=zones,
    )


def cluster_of(written: Written, resources: Resources) -> Resource | None:
    """Its cluster; None if it is not in this stack."""
    return written.referred(resources, "cluster", CLUSTER) or made_by_name(resources, CLUSTER, written.at("cluster"))


def _zones(written: Written, cluster: Resource | None) -> Zones:
    """Zones of the pool, else of its cluster: its own zone and further ones, or three that GKE chooses."""
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
    """Node counts are per zone, except the autoscaler's totals."""
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
