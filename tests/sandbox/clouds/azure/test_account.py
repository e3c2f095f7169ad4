"""What the provider fills in, its previews, and the ids and outputs of what it makes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import Azure, AzureAccount, Settings
from gpucluster.sandbox.clouds.cloud import Account, CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.cloud import Kubernetes
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster as KubernetesCluster
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.clouds.outputs import before
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.values import UNKNOWN

Stage = Any
SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/g"


def test_a_name_is_the_logical_name_and_eight_digits(account: AzureAccount, azure: Callable[..., Resource]) -> None:
    filled = account.defaults(azure("network:VirtualNetwork", "net-a", resourceGroupName="g"), b"seed")
    assert filled == {
        "resourceGroupName": "g",
        "virtualNetworkName": "net-a19b25856",
        "__createBeforeDelete": True,
        "azureApiVersion": "2024-05-01",
    }


def test_a_part_takes_the_logical_name_alone(account: AzureAccount, azure: Callable[..., Resource]) -> None:
    filled = account.defaults(azure("network:Subnet", "nodes", resourceGroupName="g", virtualNetworkName="v"), b"s")
    assert filled["subnetName"] == "nodes"
    assert "__createBeforeDelete" not in filled


def test_a_role_assignment_is_named_by_a_guid(account: AzureAccount, azure: Callable[..., Resource]) -> None:
    asked = azure("authorization:RoleAssignment", scope=GROUP, principalId="p", roleDefinitionId="r")
    assert account.defaults(asked, b"seed")["roleAssignmentName"] == "19b25856-e1c1-50ca-834c-ffc8b59b23ad"


def test_a_generated_name_stays(account: AzureAccount, azure: Callable[..., Resource]) -> None:
    asked = azure("network:VirtualNetwork", "v", resourceGroupName="g")
    first = account.defaults(asked, b"one")
    assert account.defaults(replace(asked, old_inputs=first), b"two") == first


def test_a_location_is_the_one_it_had_then_the_providers_then_that_of_the_group(
    ledger: Ledger, account: AzureAccount, azure: Callable[..., Resource], create: Callable[..., Entry]
) -> None:
    create("resources:ResourceGroup", "g", resourceGroupName="g", location="eastus")
    asked = azure("network:VirtualNetwork", "w", resourceGroupName="G")
    with_location = AzureAccount(ledger, Settings(subscription=SUBSCRIPTION, location="westus3"))
    assert account.defaults(asked, b"s")["location"] == "eastus"
    assert with_location.defaults(asked, b"s")["location"] == "westus3"
    assert with_location.defaults(replace(asked, old_inputs={"location": "uksouth"}), b"s")["location"] == "uksouth"
    assert account.defaults(replace(asked, inputs={"resourceGroupName": UNKNOWN}), b"s")["location"] is UNKNOWN


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("eastus", ""),
        ("East US 2", ""),
        ("usgovvirginia", ""),
        ("westuss", "'westuss' is no region of Azure; did you mean 'westus'?"),
        ("Bogus-Value", "'Bogus-Value' is no region of Azure"),
        ("", "'' is no region of Azure"),
    ],
)
def test_a_location_is_a_region_of_azure(
    account: AzureAccount, azure: Callable[..., Resource], location: str, said: str
) -> None:
    refused = account.failures(azure("network:NatGateway", resourceGroupName="g", location=location))
    assert [failure.reason for failure in refused if failure.path == "location"] == [said] * bool(said)


def test_an_action_group_may_be_global(account: AzureAccount, azure: Callable[..., Resource]) -> None:
    def failures(location: str) -> list[str]:
        names = {"resourceGroupName": "g", "actionGroupName": "a", "groupShortName": "a"}
        asked = azure("monitor:ActionGroup", **names, enabled=True, location=location)
        return [failure.path for failure in account.failures(asked)]

    assert (failures("Global"), failures("swedencentral"), failures("Universal")) == ([], [], ["location"])


def test_what_is_not_modelled_may_be_global(account: AzureAccount, azure: Callable[..., Resource]) -> None:
    zone = azure("privatedns:PrivateZone", resourceGroupName="g", privateZoneName="a.example", location="global")
    assert [failure.path for failure in account.failures(zone)] == []


def test_while_previewing_only_inputs_are_known(account: AzureAccount, azure: Callable[..., Resource]) -> None:
    identity = {"type": "UserAssigned", "userAssignedIdentities": ["/an/id"]}
    asked = azure("containerservice:ManagedCluster", resourceGroupName="g", identity=identity, tags={"a": "b"})
    outputs = before(asked, account.known(asked))
    assert outputs["tags"] == {"a": "b"}
    assert outputs["identity"] == {
        "delegatedResources": UNKNOWN,
        "principalId": UNKNOWN,
        "tenantId": UNKNOWN,
        "type": "UserAssigned",
        "userAssignedIdentities": UNKNOWN,
    }
    assert {name for name, value in outputs.items() if value is not UNKNOWN} == {"tags", "identity"}


def test_over_an_update_only_name_and_location_stay_known(
    account: AzureAccount, azure: Callable[..., Resource], stage: Stage
) -> None:
    asked = azure("containerservice:ManagedCluster", **{**stage.cluster.inputs, "tags": {"a": "b"}})
    changed = replace(asked, old_inputs=stage.cluster.inputs, outputs=stage.cluster.outputs, id=stage.cluster.id)
    outputs = before(changed, account.known(changed))
    assert (outputs["name"], outputs["location"], outputs["fqdn"]) == ("c", "eastus", UNKNOWN)


def test_ids_are_those_of_arm(stage: Stage) -> None:
    assert stage.group.id == GROUP
    assert stage.nodes.id == f"{GROUP}/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes"
    cluster = f"/subscriptions/{SUBSCRIPTION}/resourcegroups/g/providers/Microsoft.ContainerService/managedClusters/c"
    assert stage.cluster.id == cluster
    assert stage.pool().id == f"{cluster}/agentPools/training"
    assert stage.file_system().id == f"{GROUP}/providers/Microsoft.StorageCache/amlFilesystems/shared"


def test_what_is_made_has_a_name_a_type_and_a_place(stage: Stage) -> None:
    outputs = stage.vnet.outputs
    shown = {name: outputs[name] for name in ("name", "type", "location", "provisioningState", "azureApiVersion")}
    assert shown == {
        "name": "v",
        "type": "Microsoft.Network/virtualNetworks",
        "location": "eastus",
        "provisioningState": "Succeeded",
        "azureApiVersion": "2024-05-01",
    }


def test_a_location_is_answered_as_arm_writes_it(create: Callable[..., Entry]) -> None:
    assert create("resources:ResourceGroup", location="East US").outputs["location"] == "eastus"


@pytest.mark.parametrize("config", [{}, {"subscriptionId": ""}, {"subscriptionId": UNKNOWN}])
def test_a_provider_without_a_subscription_has_a_made_up_one(ledger: Ledger, config: dict[str, Any]) -> None:
    account = Azure().configure(config, ledger)
    client = account.invoke("azure-native:authorization:getClientConfig", {})
    assert client["subscriptionId"] == "00000000-0000-0000-0000-000000000000"


def test_a_subscription_is_a_guid() -> None:
    found = Azure().check_config({"subscriptionId": "mine", "tenantId": SUBSCRIPTION})
    assert [(it.path, it.reason) for it in found] == [
        ("subscriptionId", "'mine' is not a GUID; one looks like 00000000-0000-0000-0000-000000000000")
    ]


def test_an_identity_has_a_principal_a_client_and_a_tenant(stage: Stage) -> None:
    outputs = stage.identity.outputs
    assert len({outputs["principalId"], outputs["clientId"], outputs["tenantId"]}) == 3


def test_a_new_role_takes_effect_later_for_the_cluster_its_pools_its_api_and_a_linked_file_system(
    ledger: Ledger, account: AzureAccount, azure: Callable[..., Resource], stage: Stage, schemas: dict[str, Schema]
) -> None:
    def refusal(by: Account, asked: Resource, *roles: Entry) -> str:
        try:
            by.check_effective(asked, roles)
        except CloudError as error:
            return re.sub(r"^Status=403 Code=\"(\w+)\".*", r"\1", str(error), flags=re.DOTALL)
        return ""

    def role(principal: str, scope: str, definition: str) -> Entry:
        path = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{definition}"
        kind = "authorization:RoleAssignment"
        return stage.create(
            kind, scope, roleAssignmentName=definition, principalId=principal, scope=scope, roleDefinitionId=path
        )

    own, other = stage.identity.outputs["principalId"], "99999999-2222-3333-4444-555555555555"
    network = role(own, stage.vnet.id, "4d97b98b-1d4f-4787-a291-c67834d212e7")
    admin = role(other, stage.cluster.id.upper(), "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b")
    reader = role(other, stage.cluster.id, "4abbcc35-e782-43d8-92c5-2d3f1bd2253f")
    blobs = role(other, GROUP, "ba92f5b4-2d11-453d-a403-e96b0029c9fe")
    cluster = azure("containerservice:ManagedCluster", **stage.cluster.inputs)
    pool = azure("containerservice:AgentPool", resourceGroupName="g", resourceName="c", agentPoolName="p")
    container = f"{GROUP}/providers/Microsoft.Storage/storageAccounts/a/blobServices/default/containers/c"
    linked = {"hsm": {"settings": {"container": container, "loggingContainer": container}}}
    lustre = azure("storagecache:AmlFilesystem", resourceGroupName="g", amlFilesystemName="l", **linked)
    alone = azure("storagecache:AmlFilesystem", resourceGroupName="g", amlFilesystemName="l")
    space = Kubernetes().resource_type(schemas["kubernetes"], "kubernetes:core/v1:Namespace")
    assert space is not None
    namespace = Resource(urn="u", type=space, inputs={"metadata": {"name": "n"}})
    api = KubernetesCluster(ledger, api_servers(stage.cluster)[0], {})
    refused = [refusal(account, each, network, blobs) for each in (cluster, pool, lustre, alone)]
    assert refused[:2] == ["LinkedAuthorizationFailed"] * 2
    assert "Storage Blob Data Contributor in" in refused[2] and not refused[3]
    assert "does not have access to the resource in Azure" in refusal(api, namespace, admin)
    assert [refusal(account, cluster, admin, blobs), refusal(api, namespace, network, reader)] == ["", ""]
