"""AKS node pools as declared: as a separate resource, or inside their cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.catalog.azure_sizes import Size, size_of
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label
from gpucluster.policies.label_sets import Place, labels_at
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, flag, is_object, items, text, whole
from gpucluster.record import record

AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
SCALE_SETS: Final = "VirtualMachineScaleSets"
_INSIDE: Final = "agentPoolProfiles"

# Inputs that may be unknown before the update.
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

# Labels that AKS sets on every node.
_POOL_NAME_LABELS: Final = ("agentpool", "kubernetes.azure.com/agentpool")


@record(kw_only=True)
class Written:
    """A node pool as declared, separately or inside its cluster.

    resource: the node pool, or the cluster that contains it.
    inputs: in the form of `azure-native:containerservice:AgentPool`.
    prop: the input of the cluster that contains it; None for a separate resource.
    place: path of `inputs` in those of the resource.
    aks: whether it belongs to AKS; else it is a scale set in the form of a node pool.
    origins: for such a scale set, URNs on which each input of the node pool depends.
    """

    resource: Resource
    inputs: Mapping[str, Any]
    prop: str | None = None
    place: Place = ()
    aks: bool = True
    origins: Mapping[str, tuple[str, ...]] | None = None

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
        """Its implementation: a scale set, an availability set or single machines."""
        return text(self.inputs, "type")

    @property
    def machine(self) -> str | Unknown | None:
        """Its VM size; for a pool of single machines one with InfiniBand, if any, else the first."""
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
        """Properties of its VM size; None if unknown or without accelerator."""
        return size_of(self.machine) if isinstance(self.machine, str) else None

    @property
    def nodes(self) -> int | Unknown:
        """Its maximum number of nodes; AKS creates one node without a number."""
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
        """Its known node labels."""
        given = self.own_labels
        own = self.own_name if isinstance(self.own_name, str) else self.name
        return {**dict.fromkeys(_POOL_NAME_LABELS, own), **({} if given is UNKNOWN else given)}

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        """Node labels from the program; UNKNOWN if all are unknown."""
        return labels_at(self.at("nodeLabels"))

    def referred(self, resources: Resources, prop: str, type_: str) -> Resource | None:
        """The resource on which input `prop` depends, if the source of a separate pool contains that."""
        if self.origins is None:
            return resources.referred(self.resource, self.prop or prop, type_)
        made = resources.present(self.origins.get(prop, ()))
        return next((found for found in made if found.type == type_), None)

    def _listed(self) -> list[Any] | Unknown:
        """Sizes and counts of a pool of single machines, empty for a scale set."""
        return items(self.inputs, "virtualMachinesProfile", "scale", "manual")


def written_pools(resource: Resource) -> Iterator[Written]:
    """The node pools that a resource is or contains."""
    if resource.type == AGENT_POOL:
        yield Written(resource=resource, inputs=resource.inputs)
    elif resource.type == CLUSTER:
        listed = items(resource.inputs, _INSIDE)
        if listed is UNKNOWN:
            yield Written(resource=resource, inputs=dict.fromkeys(_UNSEEN, UNKNOWN), prop=_INSIDE)
            return
        for index, pool in enumerate(listed):
            if is_object(pool):
                yield Written(resource=resource, inputs=pool, prop=_INSIDE, place=(_INSIDE, index))
