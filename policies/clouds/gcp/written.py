"""GKE node pools as declared: as a separate resource, or inside their cluster."""

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

# Inputs that may be unknown before the update.
_UNSEEN: Final = ("nodeConfig", "nodeCount", "nodeLocations", "networkConfig", "upgradeSettings", "management")


@record(kw_only=True)
class Written:
    """A node pool as declared, separately or inside its cluster.

    resource: the node pool, or the cluster that contains it.
    inputs: in the form of `gcp:container/nodePool:NodePool`.
    prop: the input of the cluster that contains it; None for a separate resource.
    place: path of `inputs` in those of the resource.
    gke: whether it belongs to GKE; else it is an instance group in the form of a node pool.
    origins: for such a group, URNs on which each input of the node pool depends.
    template: the group's instance template; UNKNOWN if the stack does not contain it.
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
        """Its machine type in the catalog; None if unknown or missing there."""
        return machines().get(self.machine) if isinstance(self.machine, str) else None

    @property
    def fabric(self) -> Fabric | None:
        """GPU network of its nodes; None if unknown, or if they have only the interface of every machine."""
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
        """Its known node labels."""
        return {} if self.own_labels is UNKNOWN else self.own_labels

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        """The same; UNKNOWN if all are unknown."""
        return labels_at(self.at("nodeConfig", "labels"))

    @property
    def sliced(self) -> bool:
        """Whether its GPUs are MIG slices."""
        listed = items(self.inputs, "nodeConfig", "guestAccelerators")
        return listed is not UNKNOWN and any(isinstance(text(gpu, "gpuPartitionSize"), str) for gpu in listed)

    @property
    def flexible(self) -> bool:
        """Whether its machines start when capacity is available: flex-start or queued provisioning."""
        queued = flag(self.inputs, "queuedProvisioning", "enabled")
        return True in (flag(self.inputs, "nodeConfig", "flexStart"), queued)

    def dependencies(self, prop: str) -> tuple[str, ...]:
        """URNs on which an input depends."""
        if self.origins is not None:
            return self.origins.get(prop, ())
        return self.resource.dependencies.get(self.prop or prop, ())

    def referred(self, resources: Resources, prop: str, type_: str) -> Resource | None:
        """The resource on which input `prop` depends, if the source of a separate pool contains that."""
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
