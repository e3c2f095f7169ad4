"""Unused ids, and existing groups, parents and locations.

Sources: pulumi/pulumi-azure-native provider/pkg/azure/client_azcore.go (CanCreate); Azure Resource Manager
documentation, "Common deployment errors": ResourceGroupNotFound, ParentResourceNotFound, LocationRequired;
pivotal/paving #79 (zones of a region without zones).
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.catalog.azure_regions import azure_regions
from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.azure.model import ManagedResource, arm_id
from gpucluster.sandbox.clouds.azure.rules.rule import refused, rule
from gpucluster.sandbox.clouds.cloud import CloudError

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
def location_is_known(managed: ManagedResource) -> None:
    """A resource with a location specifies it; the location of the group counts."""
    if not managed.location and managed.token in _TRACKED:
        raise refused("LocationRequired", "The location property is required for this definition.")


@rule("*")
def zones_are_of_the_region(managed: ManagedResource) -> None:
    """Nothing is in a zone of a region without zones."""
    if items(managed.inputs.get("zones")) and azure_regions().get(managed.location) is False:
        message = (
            f"The resource '{managed.path.arm_type}/{managed.name}' does not support availability zones at location "
            f"'{managed.location}'."
        )
        raise refused("LocationNotSupportAvailabilityZones", message)


_TRACKED: Final = frozenset(
    f"azure-native:{kind}"
    for kind in (
        "alertsmanagement:PrometheusRuleGroup",
        "compute:CapacityReservation",
        "compute:CapacityReservationGroup",
        "compute:ProximityPlacementGroup",
        "containerservice:ManagedCluster",
        "managedidentity:UserAssignedIdentity",
        "monitor:AzureMonitorWorkspace",
        "monitor:DataCollectionEndpoint",
        "monitor:DataCollectionRule",
        "network:NatGateway",
        "network:NetworkSecurityGroup",
        "network:PublicIPAddress",
        "network:VirtualNetwork",
        "resources:ResourceGroup",
        "storage:StorageAccount",
        "storagecache:AmlFilesystem",
    )
)
