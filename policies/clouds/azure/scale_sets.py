"""Virtual machine scale sets outside AKS, in the form of equivalent node pools.

InfiniBand runs in a scale set with Uniform orchestration and a single placement group, never with Flexible
orchestration: MicrosoftDocs/azure-compute-docs, virtual-machine-scale-sets-orchestration-modes.md (2024-06-14), table
"Networking".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.policies.clouds.azure.written import SCALE_SETS, Written
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, flag, items, text

READS: Final = "azure-native:compute:VirtualMachineScaleSet"

# Input of a node pool -> input of a scale set with its value.
_FROM: Final = {
    "capacityReservationGroupID": "virtualMachineProfile",
    "proximityPlacementGroupID": "proximityPlacementGroup",
    "vnetSubnetID": "virtualMachineProfile",
}
_PROFILE: Final = "virtualMachineProfile"
_NETWORKS: Final = (_PROFILE, "networkProfile", "networkInterfaceConfigurations")
_UNIFORM: Final = "Uniform"


def written_sets(resources: Resources) -> Iterator[Written]:
    """Every scale set of the stack; the tags of its machines are used as node labels."""
    for resource in resources.of_type(READS):
        inputs = resource.inputs
        yield Written(
            resource=resource,
            inputs={
                "vmSize": at(inputs, "sku", "name"),
                "count": at(inputs, "sku", "capacity"),
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
            aks=False,
        )


def _kind(resource: Resource) -> str | Unknown | None:
    """A scale set like those of AKS, or its other kind in words."""
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
    listed: Any = items(resource.inputs, *_NETWORKS)
    found = [UNKNOWN] if listed is UNKNOWN else [items(one, "ipConfigurations") for one in listed]
    if UNKNOWN in found:
        return UNKNOWN
    asked = [at(ip, "publicIPAddressConfiguration") for ips in found if ips is not UNKNOWN for ip in ips]
    return any(one is not None for one in asked)
