"""What ARM refuses to delete, and what goes along."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Stage = Any


def _object(account: AzureAccount, stage: Stage) -> None:
    """Something in the cluster."""
    scope = f"https://{stage.cluster.outputs['fqdn']}:443"
    kind = "kubernetes:core/v1:Namespace"
    urn = f"urn:pulumi:dev::small::{kind}::n"
    account.ledger.put(
        Entry(provider="kubernetes", scope=scope, type=kind, id="n", name="n", urn=urn, inputs={}, outputs={})
    )


def _left(account: AzureAccount) -> set[str]:
    return {entry.name for entry in account.ledger.all()}


def test_with_a_group_goes_all_that_is_in_it(account: AzureAccount, stage: Stage) -> None:
    stage.pool()
    stage.file_system()
    _object(account, stage)
    assert account.delete(stage.group)
    assert _left(account) == {"g"}


def test_with_a_cluster_go_its_pools_and_its_objects(account: AzureAccount, stage: Stage) -> None:
    stage.pool()
    _object(account, stage)
    assert account.delete(stage.cluster)
    assert _left(account) == {"g", "v", "nodes", "lustre", "identity", "c"}


def test_a_subnet_in_use_stays(account: AzureAccount, stage: Stage) -> None:
    stage.file_system()
    for subnet, user in ((stage.lustre, "amlFilesystems/shared"), (stage.nodes, "managedClusters/c")):
        message = f'Code="InUseSubnetCannotBeDeleted" Message="Subnet {subnet.name} is in use by .*/{user} and cannot'
        with pytest.raises(CloudError, match=message):
            account.delete(subnet)
    with pytest.raises(CloudError, match="InUseSubnetCannotBeDeleted"):
        account.delete(stage.vnet)


def test_what_a_subnet_or_a_gateway_uses_stays(account: AzureAccount, stage: Stage) -> None:
    static = {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"}
    address = stage.make("network:PublicIPAddress", "a", **static)
    gateway = stage.make("network:NatGateway", "n", sku={"name": "Standard"}, publicIpAddresses=[{"id": address.id}])
    group = stage.make("network:NetworkSecurityGroup", "s")
    stage.subnet("other", "10.16.32.0/24", natGateway={"id": gateway.id}, networkSecurityGroup={"id": group.id})
    for managed, code in (
        (address, "PublicIPAddressCannotBeDeleted"),
        (gateway, "InUseNatGatewayCannotBeDeleted"),
        (group, "InUseNetworkSecurityGroupCannotBeDeleted"),
    ):
        with pytest.raises(CloudError, match=code):
            account.delete(managed)


def test_groups_with_members_stay(account: AzureAccount, stage: Stage) -> None:
    placement = stage.make("compute:ProximityPlacementGroup", "p")
    stage.pool(proximityPlacementGroupID=placement.id)
    with pytest.raises(
        CloudError, match=r"Proximity placement group .* cannot be deleted: .*agentPools/training is in"
    ):
        account.delete(placement)
    reservations = stage.make("compute:CapacityReservationGroup", "r", capacityReservationGroupName="r")
    sku = {"name": "Standard_D4s_v5", "capacity": 1}
    stage.make("compute:CapacityReservation", "one", capacityReservationGroupName="r", sku=sku)
    with pytest.raises(CloudError, match="Capacity reservation group r cannot be deleted: it has the reservation"):
        account.delete(reservations)


def test_the_last_system_pool_stays(account: AzureAccount, stage: Stage) -> None:
    second = stage.pool("second", mode="System", vmSize="Standard_D4s_v5", count=1)
    assert account.delete(second)
    account.ledger.put(replace(stage.cluster, inputs={**stage.cluster.inputs, "agentPoolProfiles": []}))
    with pytest.raises(CloudError, match="The last system agent pool 'second' cannot be deleted"):
        account.delete(second)
