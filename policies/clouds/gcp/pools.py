"""GPU machines on Google Cloud, and the training pools among them: several GPU nodes that train together.

GKE node pools and managed instance groups contain them; `policies.clouds.pools` says which are one pool. A pool with
accelerators and an unknown machine type may be one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from gpucluster.core.catalog.fabrics import Fabric
from gpucluster.core.catalog.machines import unlisted
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown, once
from gpucluster.core.program.values import items, text, whole
from gpucluster.policies.clouds.gcp.declared_pools import (
    CLUSTER,
    GROUPS,
    NODE_POOL,
    GcpPool,
    declared_pools,
    instance_groups,
    is_zone,
    made_by_name,
)
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label
from gpucluster.policies.clouds.pools import PoolMachines, pools_of

GKE: Final = f"{NODE_POOL}, {CLUSTER}"
READS: Final = f"{GKE}, {GROUPS}"


# GKE page "Regional clusters": by default each node pool is replicated across three zones of the region.
_DEFAULT_ZONES: Final = 3


@dataclass(frozen=True, kw_only=True)
class Zones:
    """
    names: zones of the nodes; UNKNOWN before they are known.
    count: number of these zones.
    region: if the cloud chooses the zones, their region.
    """

    names: tuple[str, ...] | Unknown
    count: int | Unknown
    region: str | None = None


@dataclass(frozen=True, kw_only=True)
class NodePool(PoolMachines):
    declared: GcpPool
    zones: Zones

    template_is: ClassVar[str] = "instance template"

    @property
    def fabric(self) -> Fabric | None:
        return self.declared.fabric

    @property
    def surely_on_fabric(self) -> bool:
        return self.whole_node

    @property
    def with_gpus(self) -> bool:
        return self.declared.with_gpus

    @property
    def unlisted(self) -> bool:
        return isinstance(self.machine, str) and unlisted("gcp", self.machine)

    @property
    def of_each_counted(self) -> int:
        return self.zones.count if isinstance(self.zones.count, int) else 1

    @property
    def sliced(self) -> bool:
        return self.declared.sliced or sliced_by_label(self.declared.labels)


def every_pool(resources: Resources) -> Iterator[GcpPool]:
    """The node pools and managed instance groups of the stack, in the form of declared node pools."""
    yield from gke_pools(resources)
    yield from instance_groups(resources)


def gke_pools(resources: Resources) -> Iterator[GcpPool]:
    """The node pools of the stack, as declared."""
    for resource in resources.of_type(NODE_POOL, CLUSTER):
        yield from declared_pools(resource)


@once
def training_pools(resources: Resources) -> Iterator[tuple[NodePool, ...]]:
    """Each training pool of the stack, as its node pools ordered by name."""
    return pools_of([pool for pool in machines_of(resources) if _may_train(pool)], resources)


@once
def machines_of(resources: Resources) -> Iterator[NodePool]:
    """The node pools and instance groups of the stack that may start a node."""
    for declared in every_pool(resources):
        pool = _read(declared, resources)
        if pool.nodes != 0:
            yield pool


def _may_train(pool: NodePool) -> bool:
    accelerators = items(pool.declared.inputs, "nodeConfig", "guestAccelerators")
    return pool.whole_node or (pool.machine is UNKNOWN and (accelerators is UNKNOWN or bool(accelerators)))


def _read(declared: GcpPool, resources: Resources) -> NodePool:
    cluster = declared.resource if declared.prop else cluster_of(declared, resources)
    zones = _zones(declared, cluster)
    return NodePool(
        resource=declared.resource,
        machine=declared.machine,
        template=declared.template,
        nodes=_most(declared, zones.count),
        declared=declared,
        cluster=cluster,
        zones=zones,
    )


def cluster_of(declared: GcpPool, resources: Resources) -> Resource | None:
    """Its cluster; None if it is not in this stack."""
    return declared.referred(resources, "cluster", CLUSTER) or made_by_name(resources, CLUSTER, declared.at("cluster"))


def _zones(declared: GcpPool, cluster: Resource | None) -> Zones:
    """Zones of the pool, else of its cluster: its own zone and further ones, or three that GKE chooses."""
    own = items(declared.inputs, "nodeLocations")
    of_cluster = items(cluster.inputs, "nodeLocations") if cluster else []
    location = text(declared.inputs, "location")
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


def _most(declared: GcpPool, zones: int | Unknown) -> int | Unknown:
    """Node counts are per zone, except the autoscaler's totals."""
    each = [
        whole(declared.inputs, *path)
        for path in (("nodeCount",), ("initialNodeCount",), ("autoscaling", "maxNodeCount"))
    ]
    total = whole(declared.inputs, "autoscaling", "totalMaxNodeCount")
    if total is UNKNOWN or any(count is UNKNOWN for count in each):
        return UNKNOWN
    most = max((count for count in each if isinstance(count, int)), default=0)
    if most and zones is UNKNOWN:
        return UNKNOWN
    return max(most * zones if isinstance(zones, int) else 0, total if isinstance(total, int) else 0)
