"""GKE node pools as they are written: a resource of its own, or inside its cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.catalog.gpudirect import Fabric, fabric_of
from gpucluster.catalog.machines import Machine, has_gpus, machines
from gpucluster.policies.label_sets import Place, labels_at
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, flag, is_object, items, text
from gpucluster.record import record

NODE_POOL: Final = "gcp:container/nodePool:NodePool"
CLUSTER: Final = "gcp:container/cluster:Cluster"

# What is asked of a pool that is not known yet.
_UNSEEN: Final = ("nodeConfig", "nodeCount", "nodeLocations", "networkConfig", "upgradeSettings", "management")


@record(kw_only=True)
class Written:
    """A node pool as it is written, alone or inside its cluster.

    resource: the node pool, or the cluster it is written in.
    inputs: as `gcp:container/nodePool:NodePool` has them.
    prop: the input of the cluster it stands under; None for a resource of its own.
    place: where `inputs` stand in those of the resource.
    gke: whether GKE makes it; else it is a group of machines written as a node pool.
    origins: of such a group, URNs of what each input of the node pool takes its value from.
    template: what such a group starts its machines from; UNKNOWN when the stack does not contain it.
    """

    resource: Resource
    inputs: Mapping[str, Any]
    prop: str | None = None
    place: Place = ()
    gke: bool = True
    origins: Mapping[str, tuple[str, ...]] | None = None
    template: Resource | Unknown | None = None

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
        return {} if self.own_labels is UNKNOWN else self.own_labels

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        """The same; UNKNOWN where none is known."""
        return labels_at(self.at("nodeConfig", "labels"))

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
        if self.origins is not None:
            return self.origins.get(prop, ())
        return self.resource.dependencies.get(self.prop or prop, ())

    def referred(self, resources: Resources, prop: str, type_: str) -> Resource | None:
        """What input `prop` takes its value from, where the source of a pool written alone tells."""
        made = resources.present(self.dependencies(prop))
        return next((found for found in made if found.type == type_), None)


def written_pools(resource: Resource) -> Iterator[Written]:
    """The node pools that a resource is or contains."""
    if resource.type == NODE_POOL:
        yield Written(resource=resource, inputs=resource.inputs)
    elif resource.type == CLUSTER:
        yield from _inside(resource)


def _inside(cluster: Resource) -> Iterator[Written]:
    listed = items(cluster.inputs, "nodePools")
    if listed is UNKNOWN:
        yield Written(resource=cluster, inputs=dict.fromkeys(_UNSEEN, UNKNOWN), prop="nodePools")
        return
    for index, pool in enumerate(listed):
        if is_object(pool):
            yield Written(resource=cluster, inputs=pool, prop="nodePools", place=("nodePools", index))
    removed = flag(cluster.inputs, "removeDefaultNodePool")
    if not listed and removed is not True and at(cluster.inputs, "nodeConfig") is not None:
        default = {key: cluster.inputs.get(key) for key in ("nodeConfig", "initialNodeCount")}
        yield Written(resource=cluster, inputs=default, prop="nodeConfig")
