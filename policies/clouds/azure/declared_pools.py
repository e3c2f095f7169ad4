"""Node pools on Azure as declared: as a separate resource, inside their AKS cluster, or as a scale set outside AKS.

Scale sets have the form of equivalent node pools. InfiniBand runs in a scale set with Uniform orchestration and a
single placement group, never with Flexible orchestration: MicrosoftDocs/azure-compute-docs,
virtual-machine-scale-sets-orchestration-modes.md (2024-06-14), table "Networking". Resources refer to each other by an
id that ends in the name, by name, or by an id unknown before the update.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from gpucluster.core.catalog.azure_regions import Size, size_of
from gpucluster.core.program.inventory import scaled_to
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import all_items, at, flag, is_object, items, text, whole
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label
from gpucluster.policies.clouds.pools import DeclaredPool


def last(given: str) -> str:
    """The name at the end of an id, e.g. `x` of `/subscriptions/s/resourceGroups/g/providers/p/things/x`."""
    return given.rstrip("/").rpartition("/")[2]


def part(given: str, of: str) -> str | None:
    """The name after one part of an id, e.g. `v` for `virtualNetworks` in `.../virtualNetworks/v/subnets/s`."""
    found = re.search(rf"/{of}/([^/]+)", given, re.IGNORECASE)
    return found[1] if found else None


def made_by_name(resources: Resources, type_: str, given: Any, key: str) -> Resource | None:
    """The resource of this stack with a name or id; `key` is the input of that type that holds its name."""
    if not isinstance(given, str):
        return None
    return next((found for found in resources.of_type(type_) if _is(found, given, key)), None)


def _is(resource: Resource, given: str, key: str) -> bool:
    """Azure compares names and ids case-insensitively."""
    if given.lower() == str(at(resource.outputs, "id")).lower():
        return True
    names = (at(resource.inputs, key), at(resource.outputs, "name"))
    return last(given).lower() in [name.lower() for name in names if isinstance(name, str)]


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


@dataclass(frozen=True, kw_only=True)
class AzurePool(DeclaredPool):
    """A node pool in the form of `azure-native:containerservice:AgentPool`."""

    node_labels: ClassVar = ("nodeLabels",)
    name_labels: ClassVar = ("agentpool", "kubernetes.azure.com/agentpool")

    @property
    def own_name(self) -> str | Unknown | None:
        """Its name in the cluster."""
        return text(self.inputs, "name" if self.prop else "agentPoolName")

    @property
    def name(self) -> str:
        inside = self.prop is not None and isinstance(self.own_name, str)
        return f"{self.resource.name}/{self.own_name}" if inside else self.resource.name

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
    def node_pool(self) -> str:
        return self.own_name if isinstance(self.own_name, str) else self.name

    def _listed(self) -> list[Any] | Unknown:
        """Sizes and counts of a pool of single machines, empty for a scale set."""
        return items(self.inputs, "virtualMachinesProfile", "scale", "manual")


def declared_pools(resource: Resource) -> Iterator[AzurePool]:
    """The node pools that a resource is or contains."""
    if resource.type == AGENT_POOL:
        yield AzurePool(resource=resource, inputs=resource.inputs)
    elif resource.type == CLUSTER:
        listed = items(resource.inputs, _INSIDE)
        if listed is UNKNOWN:
            yield AzurePool(resource=resource, inputs=dict.fromkeys(_UNSEEN, UNKNOWN), prop=_INSIDE)
            return
        for index, pool in enumerate(listed):
            if is_object(pool):
                yield AzurePool(resource=resource, inputs=pool, prop=_INSIDE, place=(_INSIDE, index))


SCALE_SET: Final = "azure-native:compute:VirtualMachineScaleSet"

# Input of a node pool -> input of a scale set with its value.
_FROM: Final = {
    "capacityReservationGroupID": "virtualMachineProfile",
    "proximityPlacementGroupID": "proximityPlacementGroup",
    "vnetSubnetID": "virtualMachineProfile",
}
_PROFILE: Final = "virtualMachineProfile"
_NETWORKS: Final = (_PROFILE, "networkProfile", "networkInterfaceConfigurations")
_UNIFORM: Final = "Uniform"


def scale_sets(resources: Resources) -> Iterator[AzurePool]:
    """Every scale set of the stack; the tags of its machines are used as node labels."""
    for resource in resources.of_type(SCALE_SET):
        inputs = resource.inputs
        yield AzurePool(
            resource=resource,
            inputs={
                "vmSize": _size(inputs),
                "count": _most(resource, resources),
                "type": _kind(resource),
                "availabilityZones": inputs.get("zones"),
                "scaleSetPriority": _priority(resource),
                "capacityReservationGroupID": at(
                    inputs, _PROFILE, "capacityReservation", "capacityReservationGroup", "id"
                ),
                "proximityPlacementGroupID": at(inputs, "proximityPlacementGroup", "id"),
                "enableNodePublicIP": _public(resource),
                "vnetSubnetID": at(inputs, *_NETWORKS, 0, "ipConfigurations", 0, "subnet", "id"),
                "nodeLabels": inputs.get("tags"),
            },
            origins={prop: resource.dependencies.get(name, ()) for prop, name in _FROM.items()},
            managed=False,
        )


def _most(resource: Resource, resources: Resources) -> int | Unknown | None:
    """The capacity, or more if an autoscaler allows it."""
    sizes = [whole(resource.inputs, "sku", "capacity"), scaled_to(resource, resources)]
    return UNKNOWN if UNKNOWN in sizes else max((one for one in sizes if isinstance(one, int)), default=None)


def _size(inputs: Mapping[str, Any]) -> str | Unknown | None:
    """The decisive of several sizes, which the profile of a mix has."""
    mixed = [text(one, "name") for one in all_items(inputs, "skuProfile", "vmSizes")]
    return max(mixed or [text(inputs, "sku", "name")], key=_rank)


def _rank(size: str | Unknown | None) -> int:
    found = size_of(size) if isinstance(size, str) else None
    return 2 if size is UNKNOWN else 0 if found is None else 3 if found.infiniband else 1


def _kind(resource: Resource) -> str | Unknown | None:
    """A scale set like those of AKS, or its other kind as text."""
    mode = text(resource.inputs, "orchestrationMode")
    if mode != _UNIFORM:
        return mode if mode is None or mode is UNKNOWN else f"{mode} orchestration"
    single = flag(resource.inputs, "singlePlacementGroup")
    return UNKNOWN if single is UNKNOWN else "several placement groups" if single is False else SCALE_SETS


def _priority(resource: Resource) -> str | Unknown | None:
    """Low is the older name of Spot; a mix with Spot counts as Spot."""
    given = text(resource.inputs, _PROFILE, "priority")
    mixed = at(resource.inputs, "priorityMixPolicy")
    return "Spot" if given == "Low" or mixed is not None else given


def _public(resource: Resource) -> bool | Unknown:
    found = [items(one, "ipConfigurations") for one in all_items(resource.inputs, *_NETWORKS)]
    if UNKNOWN in found:
        return UNKNOWN
    return any(at(ip, "publicIPAddressConfiguration") is not None for ips in found if ips is not UNKNOWN for ip in ips)
