"""Rules of virtual networks, subnets, gateways and addresses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.cloud import CloudError, Resource

Stage = Any


def test_a_network_over_the_range_of_infiniband_is_taken_as_azure_takes_it(stage: Stage) -> None:
    made = stage.make("network:VirtualNetwork", "w", addressSpace={"addressPrefixes": ["172.16.0.0/12"]})
    assert made.outputs["provisioningState"] == "Succeeded"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("10.17.0.0/24", "range 10.17.0.0/24 is outside the IP address range of virtual network 'v'"),
        ("10.16.8.0/24", "range 10.16.8.0/24 overlaps with that of an existing subnet in virtual network 'v': nodes"),
        ("10.16.32.1/24", "The address prefix 10.16.32.1/24 in resource .* has an invalid CIDR notation"),
        ("10.16.32.0/30", "The address prefix 10.16.32.0/30 in resource .* has an invalid CIDR notation"),
    ],
)
def test_a_subnet_has_a_range_of_its_own_inside_the_network(stage: Stage, block: str, message: str) -> None:
    with pytest.raises(CloudError, match=message):
        stage.subnet("other", block)


def test_a_network_does_not_shrink_under_a_subnet(
    account: AzureAccount, azure: Callable[..., Resource], stage: Stage
) -> None:
    there = stage.vnet
    asked = azure(
        "network:VirtualNetwork", "v", **{**there.inputs, "addressSpace": {"addressPrefixes": ["10.16.0.0/21"]}}
    )
    with pytest.raises(CloudError, match=r'Code="InUsePrefixCannotBeDeleted" .*10.16.0.0/20 of subnet nodes'):
        account.update(replace(asked, old_inputs=there.inputs, outputs=there.outputs, id=there.id))


def test_what_a_subnet_names_exists(stage: Stage) -> None:
    gateway = f"{stage.group.id}/providers/Microsoft.Network/natGateways/none"
    with pytest.raises(CloudError, match='Code="InvalidResourceReference"'):
        stage.subnet("other", "10.16.32.0/24", natGateway={"id": gateway})


def test_a_gateway_takes_standard_addresses_which_are_static(stage: Stage) -> None:
    static = {"sku": {"name": "Standard"}, "publicIPAllocationMethod": "Static"}
    address = stage.make("network:PublicIPAddress", "a", **static)
    gateway = stage.make("network:NatGateway", sku={"name": "Standard"}, publicIpAddresses=[{"id": address.id}])
    assert address.outputs["ipAddress"].startswith("203.0.113.")
    assert gateway.outputs["idleTimeoutInMinutes"] == 4
    basic = stage.make("network:PublicIPAddress", "b")
    with pytest.raises(CloudError, match="takes addresses of SKU Standard"):
        stage.make("network:NatGateway", "other", sku={"name": "Standard"}, publicIpAddresses=[{"id": basic.id}])
    with pytest.raises(CloudError, match="must have AllocationMethod set to Static"):
        stage.make("network:PublicIPAddress", "c", sku={"name": "Standard"})


def test_nothing_moves_to_another_region(account: AzureAccount, azure: Callable[..., Resource], stage: Stage) -> None:
    there = stage.make("network:NatGateway", sku={"name": "Standard"})
    asked = azure("network:NatGateway", **{**there.inputs, "location": "westus"})
    with pytest.raises(CloudError, match="already exists in location 'eastus' in resource group 'g'"):
        account.update(replace(asked, old_inputs=there.inputs, outputs=there.outputs, id=there.id))
    same = azure("network:NatGateway", **{**there.inputs, "location": "East US"})
    updated = account.update(replace(same, old_inputs=there.inputs, outputs=there.outputs, id=there.id))
    assert updated.outputs["location"] == "eastus"
