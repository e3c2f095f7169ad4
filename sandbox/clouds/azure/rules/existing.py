"""Unused ids, existing groups, parents and locations, immutable properties, and requests that must wait for another.

Sources: pulumi/pulumi-azure-native provider/pkg/azure/client_azcore.go (CanCreate); Azure Resource Manager
documentation, "Common deployment errors": ResourceGroupNotFound, ParentResourceNotFound;
pivotal/paving #79 (zones of a region without zones).

Sources: MicrosoftDocs/azure-aks-docs, the page of each property (use-node-pools.md, concepts-storage.md,
reduce-latency-ppg.md, use-capacity-reservation-groups.md, spot-node-pool.md, custom-node-configuration-reference.md,
aks-managed-gpu-nodes.md); hashicorp/terraform-provider-azurerm #26730 for the text; Azure Resource Manager
documentation, error InvalidResourceLocation.

Sources: Azure/AKS #4522 (pools of one network); hashicorp/terraform-provider-azurerm #30197
(ReferencedResourceNotProvisioned, with status 429 in hashicorp/terraform #7986); Azure/azure-cli #21121
(ResourceGroupBeingDeleted); `azure/deletion.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.catalog.azure_regions import azure_regions
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.deletion import check_idle
from gpucluster.sandbox.clouds.azure.machines import AGENT_POOL
from gpucluster.sandbox.clouds.azure.model import (
    ManagedResource,
    arm_id,
    location_of,
    refused,
    repeated,
    rule,
    same_id,
    with_same_id,
)
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

_GROUP: Final = "azure-native:resources:ResourceGroup"
_PARENTS: Final = {
    "azure-native:compute:CapacityReservation": "azure-native:compute:CapacityReservationGroup",
    "azure-native:containerservice:AgentPool": "azure-native:containerservice:ManagedCluster",
    "azure-native:containerservice:MaintenanceConfiguration": "azure-native:containerservice:ManagedCluster",
    "azure-native:managedidentity:FederatedIdentityCredential": "azure-native:managedidentity:UserAssignedIdentity",
    "azure-native:network:Route": "azure-native:network:RouteTable",
    "azure-native:network:SecurityRule": "azure-native:network:NetworkSecurityGroup",
    "azure-native:network:Subnet": "azure-native:network:VirtualNetwork",
    "azure-native:network:VirtualNetworkPeering": "azure-native:network:VirtualNetwork",
    "azure-native:storagecache:AutoExportJob": "azure-native:storagecache:AmlFilesystem",
    "azure-native:storagecache:AutoImportJob": "azure-native:storagecache:AmlFilesystem",
    "azure-native:storagecache:ImportJob": "azure-native:storagecache:AmlFilesystem",
}


@rule("*")
def id_is_free(managed: ManagedResource) -> None:
    """The provider reads before it writes, so that it never overwrites a resource it did not create."""
    if not managed.previous and managed.at(managed.token, managed.id) is not None:
        raise CloudError(f"cannot create already existing resource '{arm_id(managed)}'")


@rule("azure-native:features:SubscriptionFeatureRegistration")
def feature_is_there_already(managed: ManagedResource) -> None:
    """Every feature already exists, registered or not, so no program can create one (pulumi/pulumi-azure-native
    #1722).
    """
    if not managed.previous and not managed.existed:
        raise CloudError(f"cannot create already existing resource '{arm_id(managed)}'")


@rule("*")
def group_exists(managed: ManagedResource) -> None:
    """A group exists before its resources."""
    name = managed.group
    if managed.token == _GROUP or not name or managed.previous:
        return
    id_ = f"/subscriptions/{managed.subscription}/resourceGroups/{name}"
    if managed.at(_GROUP, id_) is None:
        raise refused("ResourceGroupNotFound", f"Resource group '{name}' could not be found.", status=404)


@rule(*_PARENTS)
def parent_exists(managed: ManagedResource) -> None:
    """The parent exists."""
    if managed.at(_PARENTS[managed.token], managed.parent) is None:
        message = (
            "Failed to perform 'write' on resource(s) of type "
            f"'{'/'.join(managed.path.arm_type.split('/')[1:])}', because the parent resource '{managed.parent}' could "
            "not be found."
        )
        raise refused("ParentResourceNotFound", message, status=404)


@rule("*")
def zones_are_of_the_region(managed: ManagedResource) -> None:
    """Nothing is in a zone of a region without zones."""
    if items(managed.inputs.get("zones")) and azure_regions().get(managed.location) is False:
        message = (
            f"The resource '{managed.path.arm_type}/{managed.name}' does not support availability zones at location "
            f"'{managed.location}'."
        )
        raise refused("LocationNotSupportAvailabilityZones", message)


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
        if name in managed.changed and not _is_the_default_written_out(managed, name):
            message = f"Changing property 'properties.{name}' is not allowed."
            raise refused("PropertyChangeNotAllowed", message)


def _is_the_default_written_out(managed: ManagedResource, name: str) -> bool:
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


_NETWORK: Final = "azure-native:network:"
_SUBNET: Final = f"{_NETWORK}Subnet"
_REFERENCES: Final = {
    _SUBNET: ("natGateway", "networkSecurityGroup", "routeTable"),
    f"{_NETWORK}NatGateway": ("publicIpAddresses",),
}
_NAMED: Final = {
    f"{_NETWORK}{kind}" for kind in ("NatGateway", "NetworkSecurityGroup", "PublicIPAddress", "RouteTable")
}


@rule("*")
def group_is_not_being_deleted(managed: ManagedResource) -> None:
    """No resource is created or changed in a group that is being deleted."""
    id_ = f"/subscriptions/{managed.subscription}/resourceGroups/{managed.group}"
    group = managed.at(_GROUP, id_) if managed.group else None
    if group is not None and group.operation is not None and managed.token != _GROUP:
        message = f"The resource group '{managed.group}' is in deprovisioning state and cannot perform this operation."
        raise refused("ResourceGroupBeingDeleted", message, status=409)


@rule("*")
def one_thing_after_another(managed: ManagedResource) -> None:
    """One operation at a time on a resource and on its parent."""
    check_idle(managed.token, managed.id, managed.ledger)


@rule(*_REFERENCES)
def references_are_ready(managed: ManagedResource) -> None:
    """Networks refuse references to unfinished resources."""
    for name in _REFERENCES[managed.token]:
        value = managed.inputs.get(name)
        for given in items(value) or [value]:
            entry = _named(mapping(given).get("id"), managed.ledger)
            if entry is not None and entry.operation is not None:
                kind = entry.type.rsplit(":", 1)[-1]
                message = (
                    f"Cannot proceed with operation because resource {entry.id} used by resource {managed.id} is not "
                    f"in Succeeded state. Resource is in {entry.operation.state} state and the last operation that "
                    f"updated/is updating the resource is Put{kind}Operation."
                )
                raise repeated("ReferencedResourceNotProvisioned", message, status=429, seconds=entry.operation.left)


@rule(AGENT_POOL)
def pools_of_a_network_are_made_one_after_the_other(managed: ManagedResource) -> None:
    """AKS locks the network for one pool at a time."""
    network = _network_of(managed.inputs)
    if not network or managed.previous:
        return
    for entry in managed.ledger.in_progress({AGENT_POOL}):
        making = entry.operation is not None and not entry.operation.removes
        if making and same_id(_network_of(entry.inputs), network) and not same_id(entry.id, managed.id):
            message = (
                f"Set virtual network ownership failed. Code=VirtualNetworkNotInSucceededState: Virtual network "
                f"{network} is in Updating state. It needs to be in Succeeded state in order to set resource ownership."
            )
            raise refused("SetVNetOwnershipFailed", message)


def _network_of(pool: Mapping[str, Any]) -> str:
    return str(pool.get("vnetSubnetID") or "").rpartition("/subnets/")[0]


def _named(id_: object, ledger: Ledger) -> Entry | None:
    return with_same_id(ledger, id_, _NAMED)
