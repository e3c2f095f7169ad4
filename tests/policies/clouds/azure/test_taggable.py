"""The table of types with tags is that of the installed SDK."""

from __future__ import annotations

from gpucluster.policies.clouds.azure.taggable import read_sdk, taggable


def test_the_table_is_up_to_date():
    assert sorted(taggable()) == read_sdk(), "run: python -m gpucluster.policies.clouds.azure.taggable"


def test_types_of_a_training_cluster_are_in_it_or_take_no_tags():
    assert {type_: f"azure-native:{type_}" in taggable() for type_ in _TYPES} == _TYPES


_TYPES = {
    "resources:ResourceGroup": True,
    "network:VirtualNetwork": True,
    "network:Subnet": False,
    "network:NatGateway": True,
    "network:PublicIPAddress": True,
    "network:NetworkSecurityGroup": True,
    "containerservice:ManagedCluster": True,
    "containerservice:AgentPool": True,
    "containerservice:MaintenanceConfiguration": False,
    "managedidentity:UserAssignedIdentity": True,
    "managedidentity:FederatedIdentityCredential": False,
    "authorization:RoleAssignment": False,
    "storagecache:AmlFilesystem": True,
    "storage:StorageAccount": True,
    "storage:BlobContainer": False,
    "compute:ProximityPlacementGroup": True,
    "compute:CapacityReservationGroup": True,
    "compute:CapacityReservation": True,
    "monitor:AzureMonitorWorkspace": True,
    "monitor:DataCollectionRule": True,
    "monitor:DataCollectionRuleAssociation": False,
    "features:SubscriptionFeatureRegistration": False,
    # Its `tags` are those of an alert's filter and of a list of texts.
    "securityinsights:Bookmark": False,
}
