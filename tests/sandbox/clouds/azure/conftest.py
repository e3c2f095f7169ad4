"""A subscription of the simulated Azure, and things to try rules on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount, Settings
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/g"


@pytest.fixture
def account(ledger: Ledger) -> AzureAccount:
    """The provider of a subscription, with no location of its own."""
    return AzureAccount(ledger, Settings(subscription=SUBSCRIPTION))


@pytest.fixture
def create(account: AzureAccount, create_in_azure: Callable[..., Entry]) -> Callable[..., Entry]:
    """Creates a resource in the subscription as the engine would, and returns what the ledger then has."""
    return partial(create_in_azure, account)


class Stage:
    """A group with a network, an AKS cluster in it and room for Lustre."""

    def __init__(self, create: Callable[..., Entry], **cluster: Any) -> None:
        self.create = create
        self.group = create("resources:ResourceGroup", "g", resourceGroupName="g", location="eastus")
        self.vnet = self.make(
            "network:VirtualNetwork", "v", virtualNetworkName="v", addressSpace={"addressPrefixes": ["10.16.0.0/16"]}
        )
        self.nodes = self.subnet("nodes", "10.16.0.0/20")
        self.lustre = self.subnet("lustre", "10.16.16.0/24")
        self.identity = self.make("managedidentity:UserAssignedIdentity", "identity", resourceName="identity")
        self.cluster = self.aks(**cluster)

    def make(self, token: str, name: str = "it", /, **inputs: Any) -> Entry:
        """Something in the group."""
        return self.create(token, name, resourceGroupName="g", **inputs)

    def subnet(self, name: str, block: str, **inputs: Any) -> Entry:
        """A subnet of the network."""
        return self.make("network:Subnet", name, virtualNetworkName="v", subnetName=name, addressPrefix=block, **inputs)

    def aks(self, name: str = "c", **inputs: Any) -> Entry:
        """A cluster with one system pool and a user-assigned identity, unless the inputs say otherwise."""
        given: dict[str, Any] = {
            "resourceName": name,
            "dnsPrefix": name,
            "identity": {"type": "UserAssigned", "userAssignedIdentities": [self.identity.id]},
            "agentPoolProfiles": [self.system()],
            "networkProfile": {"networkPlugin": "azure", "networkPluginMode": "overlay", "podCidr": "10.128.0.0/14"},
            **inputs,
        }
        return self.make(
            "containerservice:ManagedCluster", name, **{key: it for key, it in given.items() if it is not None}
        )

    def system(self, **inputs: Any) -> dict[str, Any]:
        """The profile of an inline system pool."""
        given = {"name": "system", "mode": "System", "count": 3, "vmSize": "Standard_D4s_v5"}
        return {**given, "vnetSubnetID": self.nodes.id, **inputs}

    def pool(self, name: str = "training", **inputs: Any) -> Entry:
        """A pool of two InfiniBand machines in one zone, unless the inputs say otherwise; None leaves one out."""
        given: dict[str, Any] = {
            "resourceName": "c",
            "agentPoolName": name,
            "count": 2,
            "vmSize": "Standard_ND96isr_H100_v5",
            "mode": "User",
            "availabilityZones": ["1"],
            "vnetSubnetID": self.nodes.id,
            **inputs,
        }
        return self.make("containerservice:AgentPool", name, **{key: it for key, it in given.items() if it is not None})

    def file_system(self, name: str = "shared", **inputs: Any) -> Entry:
        """A Lustre of 16 TiB at 125 MB/s a TiB, unless the inputs say otherwise."""
        given: dict[str, Any] = {
            "amlFilesystemName": name,
            "filesystemSubnet": self.lustre.id,
            "storageCapacityTiB": 16,
            "sku": {"name": "AMLFS-Durable-Premium-125"},
            "zones": ["1"],
            "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
            **inputs,
        }
        return self.make("storagecache:AmlFilesystem", name, **given)


@pytest.fixture
def stage(create: Callable[..., Entry]) -> Stage:
    """A subscription with the usual around a cluster."""
    return Stage(create)


@pytest.fixture
def make_stage(create: Callable[..., Entry]) -> Callable[..., Stage]:
    """Makes a stage: `make_stage(networkProfile={..})`."""
    return partial(Stage, create)
