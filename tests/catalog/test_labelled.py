"""The tables of types with labels or tags are those of the installed SDKs."""

from __future__ import annotations

import pytest

from gpucluster.catalog.labelled import PACKAGES, argument_of, labelled, read_sdk


@pytest.mark.parametrize("package", PACKAGES)
def test_the_table_is_up_to_date(package):
    assert dict(labelled(package)) == read_sdk(package), "run: python -m gpucluster.catalog.labelled"


def test_types_of_a_training_cluster_are_in_it_or_take_none():
    assert {type_: argument_of(type_) for type_ in _TYPES} == _TYPES


# None for types that have no argument for labels of their own.
_TYPES = {
    "aws:ec2/vpc:Vpc": "tags",
    "aws:ec2/launchTemplate:LaunchTemplate": "tags",
    "aws:eks/cluster:Cluster": "tags",
    "aws:eks/nodeGroup:NodeGroup": "tags",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "tags",
    "aws:autoscaling/group:Group": "tags",
    "aws:ec2/route:Route": None,
    "aws:devopsguru/resourceCollection:ResourceCollection": None,
    "gcp:container/cluster:Cluster": "resourceLabels",
    "gcp:container/nodePool:NodePool": None,
    "gcp:lustre/instance:Instance": "labels",
    "gcp:parallelstore/instance:Instance": "labels",
    "gcp:filestore/instance:Instance": "labels",
    "gcp:storage/bucket:Bucket": "labels",
    "gcp:compute/disk:Disk": "labels",
    "gcp:compute/globalAddress:GlobalAddress": "labels",
    "gcp:compute/network:Network": None,
    "gcp:compute/subnetwork:Subnetwork": None,
    "gcp:compute/firewall:Firewall": None,
    "gcp:compute/router:Router": None,
    "gcp:compute/routerNat:RouterNat": None,
    "gcp:compute/resourcePolicy:ResourcePolicy": None,
    "gcp:compute/reservation:Reservation": None,
    "gcp:compute/futureReservation:FutureReservation": None,
    "gcp:storage/anywhereCache:AnywhereCache": None,
    "gcp:serviceaccount/account:Account": None,
    "azure-native:resources:ResourceGroup": "tags",
    "azure-native:network:VirtualNetwork": "tags",
    "azure-native:network:Subnet": None,
    "azure-native:network:NatGateway": "tags",
    "azure-native:network:PublicIPAddress": "tags",
    "azure-native:network:NetworkSecurityGroup": "tags",
    "azure-native:containerservice:ManagedCluster": "tags",
    "azure-native:containerservice:AgentPool": "tags",
    "azure-native:containerservice:MaintenanceConfiguration": None,
    "azure-native:managedidentity:UserAssignedIdentity": "tags",
    "azure-native:managedidentity:FederatedIdentityCredential": None,
    "azure-native:authorization:RoleAssignment": None,
    "azure-native:storagecache:AmlFilesystem": "tags",
    "azure-native:storage:StorageAccount": "tags",
    "azure-native:storage:BlobContainer": None,
    "azure-native:compute:ProximityPlacementGroup": "tags",
    "azure-native:compute:CapacityReservationGroup": "tags",
    "azure-native:compute:CapacityReservation": "tags",
    "azure-native:monitor:AzureMonitorWorkspace": "tags",
    "azure-native:monitor:DataCollectionRule": "tags",
    "azure-native:monitor:DataCollectionRuleAssociation": None,
    "azure-native:features:SubscriptionFeatureRegistration": None,
    # Its `tags` are those of an alert's filter and of a list of texts.
    "azure-native:securityinsights:Bookmark": None,
    "kubernetes:core/v1:ConfigMap": None,
}
