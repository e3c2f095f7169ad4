"""Which changes replace, and how, as azure-native decides it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.azure.paths import AutoName, path_of
from gpucluster.sandbox.clouds.cloud import Change, Kind, Resource
from gpucluster.sandbox.clouds.types.schema import ResourceType, Schema
from gpucluster.sandbox.clouds.types.values import UNKNOWN


def _rows(name: str) -> list[dict[str, str]]:
    return list(
        csv.DictReader(resources.files("gpucluster.sandbox.clouds.azure").joinpath(name).read_text().splitlines())
    )


@pytest.mark.parametrize(
    ("token", "path", "expected"),
    [
        ("containerservice:AgentPool", "vmSize", True),
        ("containerservice:AgentPool", "gpuInstanceProfile", True),
        ("containerservice:AgentPool", "resourceName", True),
        ("containerservice:AgentPool", "agentPoolName", True),
        ("containerservice:AgentPool", "osDiskSizeGB", False),
        ("containerservice:AgentPool", "upgradeSettings.maxSurge", False),
        ("containerservice:ManagedCluster", "networkProfile.podCidr", True),
        ("containerservice:ManagedCluster", "networkProfile.advancedNetworking.enabled", False),
        ("containerservice:ManagedCluster", "agentPoolProfiles[0].count", False),
        ("containerservice:ManagedCluster", "dnsPrefix", True),
        ("storagecache:AmlFilesystem", "storageCapacityTiB", True),
        ("storagecache:AmlFilesystem", "sku.name", True),
        ("storagecache:AmlFilesystem", "maintenanceWindow.dayOfWeek", False),
        ("network:Subnet", "addressPrefix", False),
        ("network:NatGateway", "idleTimeoutInMinutes", None),
        ("network:NatGateway", 'tags["a.b"]', False),
        ("authorization:RoleAssignment", "scope", True),
        ("authorization:RoleAssignment", "principalId", True),
    ],
)
def test_a_change_replaces_by_the_providers_table(
    account: AzureAccount, azure: Callable[..., Resource], token: str, path: str, expected: bool | None
) -> None:
    assert account.replaces(azure(token), Change(path, Kind.UPDATE)) is expected


@pytest.mark.parametrize(("now", "expected"), [("East US", False), ("westus", True), (UNKNOWN, True)])
def test_another_spelling_of_a_location_is_the_same_place(
    account: AzureAccount, azure: Callable[..., Resource], now: Any, expected: bool
) -> None:
    asked = replace(azure("resources:ResourceGroup", location=now), old_inputs={"location": "eastus"})
    assert account.replaces(asked, Change("location", Kind.UPDATE)) is expected


def test_old_and_new_stand_side_by_side_only_under_generated_names(
    account: AzureAccount, azure: Callable[..., Resource]
) -> None:
    asked = azure("storagecache:AmlFilesystem", "shared", resourceGroupName="g")
    generated = account.defaults(asked, b"seed")
    named = {**generated, "amlFilesystemName": "shared"}
    del named["__createBeforeDelete"]
    again = azure("storagecache:AmlFilesystem", "shared", resourceGroupName="g")
    assert (
        account.deletes_first(Resource(urn=again.urn, type=again.type, inputs=generated, old_inputs=generated)) is False
    )
    assert account.deletes_first(Resource(urn=again.urn, type=again.type, inputs=named, old_inputs=named)) is True


def test_every_row_names_properties_of_the_sdk(schemas: dict[str, Schema]) -> None:
    wrong = [
        f"{row['type']}: {path}"
        for row in _rows("replacements.csv")
        for path in row["properties"].split()
        if not _has(schemas["azure-native"].resource_type(row["type"]), path)
    ]
    assert wrong == []


def _has(type_: ResourceType | None, path: str) -> bool:
    if type_ is None:
        return False
    properties: Any = type_.inputs
    for name in path.split("."):
        if name not in properties:
            return False
        shape = properties[name].type
        properties = type_.types[shape["ref"]] if isinstance(shape, dict) and "ref" in shape else {}
    return True


def test_every_path_is_made_of_inputs_of_the_sdk(schemas: dict[str, Schema]) -> None:
    for row in _rows("paths.csv"):
        type_ = schemas["azure-native"].resource_type(row["type"])
        assert type_ is not None, row["type"]
        assert [name for name in path_of(type_).parameters if name not in type_.inputs] == [], row["type"]


@pytest.mark.parametrize(
    ("token", "arm_type", "auto_name"),
    [
        ("resources:ResourceGroup", "Microsoft.Resources/resourceGroups", AutoName.RANDOM),
        ("network:Subnet", "Microsoft.Network/virtualNetworks/subnets", AutoName.COPY),
        ("containerservice:AgentPool", "Microsoft.ContainerService/managedClusters/agentPools", AutoName.COPY),
        ("authorization:RoleAssignment", "Microsoft.Authorization/roleAssignments", AutoName.GUID),
        ("monitor:DataCollectionRuleAssociation", "Microsoft.Insights/dataCollectionRuleAssociations", AutoName.RANDOM),
        ("kubernetesconfiguration:Extension", "Microsoft.KubernetesConfiguration/extensions", AutoName.RANDOM),
        ("storage:BlobContainer", "Microsoft.Storage/storageAccounts/blobServices/containers", AutoName.COPY),
    ],
)
def test_a_path_says_the_type_and_how_names_are_made(
    azure: Callable[..., Resource], token: str, arm_type: str, auto_name: AutoName
) -> None:
    path = path_of(azure(token).type)
    assert (path.arm_type, path.auto_name) == (arm_type, auto_name)


def test_a_type_that_is_not_listed_has_an_id_that_looks_the_part(azure: Callable[..., Resource]) -> None:
    path = path_of(azure("eventhub:Namespace").type)
    assert path.id({"resourceGroupName": "g", "namespaceName": "n"}, "s") == (
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Eventhub/namespaces/n"
    )
