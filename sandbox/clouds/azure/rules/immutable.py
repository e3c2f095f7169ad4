"""Immutable properties that azure-native nevertheless updates in place: ARM refuses the request.

Sources: MicrosoftDocs/azure-aks-docs, the page of each property (use-node-pools.md, concepts-storage.md,
reduce-latency-ppg.md, use-capacity-reservation-groups.md, spot-node-pool.md, custom-node-configuration-reference.md,
aks-managed-gpu-nodes.md); hashicorp/terraform-provider-azurerm #26730 for the words; Azure Resource Manager
documentation, error InvalidResourceLocation.
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.sandbox.clouds.azure.identity import location_of
from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.pools import AGENT_POOL
from gpucluster.sandbox.clouds.azure.rules.rule import refused, rule

_LUSTRE: Final = "azure-native:storagecache:AmlFilesystem"
_FIXED: Final = {
    AGENT_POOL: (
        "availabilityZones",
        "capacityReservationGroupID",
        "enableEncryptionAtHost",
        "enableFIPS",
        "enableNodePublicIP",
        "enableUltraSSD",
        "gpuProfile",
        "hostGroupID",
        "kubeletConfig",
        "kubeletDiskType",
        "linuxOSConfig",
        "maxPods",
        "osDiskSizeGB",
        "osDiskType",
        "osType",
        "podSubnetID",
        "proximityPlacementGroupID",
        "scaleSetEvictionPolicy",
        "scaleSetPriority",
        "spotMaxPrice",
        "type",
        "vnetSubnetID",
        "workloadRuntime",
    ),
    _LUSTRE: ("hsm",),
}


@rule(*_FIXED)
def fixed_properties_stay(managed: ManagedResource) -> None:
    """A change needs a new pool or file system; `replace_on_changes` configures this in Pulumi."""
    for name in _FIXED[managed.token]:
        if name in managed.changed and not _is_the_default_now_said(managed, name):
            message = f"Changing property 'properties.{name}' is not allowed."
            raise refused("PropertyChangeNotAllowed", message)


def _is_the_default_now_said(managed: ManagedResource, name: str) -> bool:
    """Whether the change only adds or removes the existing default."""
    before: Any = None if name == "type" else managed.previous.get(name)
    return name not in managed.inputs or managed.inputs[name] == before


@rule("*")
def location_stays(managed: ManagedResource) -> None:
    """A resource cannot move to another region."""
    before = location_of(managed.previous.get("location"))
    if before and managed.location and managed.location != before:
        message = (
            f"The resource '{managed.name}' already exists in location '{before}' in resource group '{managed.group}'. "
            f"A resource with the same name cannot be created in location '{managed.location}'. Please select a new "
            "resource name."
        )
        raise refused("InvalidResourceLocation", message, status=409)
