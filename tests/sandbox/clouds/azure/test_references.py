"""What a resource refers to is there."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.azure.rules.references import references_exist
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.types.schema import Schema
from tests.sandbox.clouds.azure.conftest import GROUP, SUBSCRIPTION, Stage

ROWS = list(
    csv.DictReader(
        resources.files("gpucluster.sandbox.clouds.azure").joinpath("references.csv").read_text().splitlines()
    )
)
NAMES = {
    "azure-native:compute:ProximityPlacementGroup": {"proximityPlacementGroupName": "it"},
    "azure-native:containerservice:Snapshot": {"resourceName": "it"},
    "azure-native:monitor:AzureMonitorWorkspace": {"azureMonitorWorkspaceName": "it"},
    "azure-native:monitor:DataCollectionEndpoint": {"dataCollectionEndpointName": "it"},
    "azure-native:monitor:DataCollectionRule": {"dataCollectionRuleName": "it"},
    "azure-native:network:NatGateway": {"natGatewayName": "it", "sku": {"name": "Standard"}},
    "azure-native:network:NetworkSecurityGroup": {"networkSecurityGroupName": "it"},
    "azure-native:network:PublicIPAddress": {"publicIpAddressName": "it"},
    "azure-native:network:RouteTable": {"routeTableName": "it"},
    "azure-native:network:VirtualNetwork": {
        "virtualNetworkName": "it",
        "addressSpace": {"addressPrefixes": ["10.50.0.0/16"]},
    },
    "azure-native:operationalinsights:Workspace": {"workspaceName": "it"},
}


def there(stage: Stage, kind: str) -> str:
    """The id of a thing of a kind that is there."""
    if kind == "anything":
        return stage.cluster.id
    if kind == "azure-native:network:Subnet":
        return stage.nodes.id
    return stage.make(kind.removeprefix("azure-native:"), location="eastus", **NAMES[kind]).id


def nested(path: str, value: str) -> dict[str, Any]:
    """Inputs with a value at a path."""
    name, _, rest = path.partition(".")
    inner = nested(rest, value) if rest else value
    return {name.removesuffix("[]"): [inner] if name.endswith("[]") else inner}


@pytest.fixture
def judge(account: AzureAccount, azure: Callable[..., Resource]) -> Callable[[str, str, str], None]:
    """Holds the rule against a type with a value at a path: `judge(type, path, value)`."""

    def judged(token: str, path: str, value: str) -> None:
        references_exist(account.managed(azure(token.removeprefix("azure-native:"), **nested(path, value))))

    return judged


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['type'].split(':')[2]}.{row['path']}")
def test_a_reference_to_nothing_is_refused_and_one_to_a_thing_is_taken(
    stage: Stage, judge: Callable[[str, str, str], None], row: dict[str, str]
) -> None:
    id_ = there(stage, row["kind"])
    judge(row["type"], row["path"], id_)
    judge(row["type"], row["path"], id_.upper().replace("/SUBSCRIPTIONS", "/subscriptions"))
    with pytest.raises(CloudError, match=rf'Code="{row["code"]}" .*/gone'):
        judge(row["type"], row["path"], id_.rsplit("/", 1)[0] + "/gone")


@pytest.mark.parametrize("value", ["Bogus-Value", "x" * 300, "", "subscriptions", "/subscriptions/a/b"])
def test_what_is_no_id_is_refused_as_such(judge: Callable[[str, str, str], None], value: str) -> None:
    rule, association = "azure-native:monitor:DataCollectionRule", "azure-native:monitor:DataCollectionRuleAssociation"
    with pytest.raises(CloudError, match=r"LinkedInvalidPropertyId.*at path 'properties\.dataCollectionEndpointId'"):
        judge(rule, "dataCollectionEndpointId", value)
    with pytest.raises(CloudError, match=r'Code="MissingSubscription" .*\(resourceUri\)'):
        judge(association, "resourceUri", value)


def test_a_thing_of_another_kind_is_not_what_was_asked_for(
    stage: Stage, judge: Callable[[str, str, str], None]
) -> None:
    with pytest.raises(CloudError, match="InvalidResourceReference"):
        judge("azure-native:network:Subnet", "natGateway.id", stage.nodes.id)


@pytest.mark.parametrize(
    "scope",
    [
        f"/subscriptions/{SUBSCRIPTION}",
        f"subscriptions/{SUBSCRIPTION}",
        GROUP,
        "/subscriptions/99999999-2222-3333-4444-555555555555/resourceGroups/elsewhere",
        "/providers/Microsoft.Management/managementGroups/training",
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/reserved",
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/MC_g_c_eastus/providers/Microsoft.Compute/virtualMachineScaleSets/s",
    ],
)
def test_a_role_is_granted_on_a_subscription_a_group_and_on_what_others_keep(
    stage: Stage, judge: Callable[[str, str, str], None], scope: str
) -> None:
    assert stage.group.id == GROUP
    judge("azure-native:authorization:RoleAssignment", "scope", scope)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['type'].split(':')[2]}.{row['path']}")
def test_every_row_is_of_an_input_that_the_sdk_has(schemas: dict[str, Schema], row: dict[str, str]) -> None:
    type_ = schemas["azure-native"].resource_type(row["type"])
    assert type_ is not None
    properties, inner = type_.inputs, None
    for name in row["path"].split("."):
        # Keys of a map are whatever the program says.
        free = isinstance(inner, dict) and "map" in inner
        inner = inner["map"] if free else properties[name.removesuffix("[]")].type
        inner = inner["list"] if name.endswith("[]") else inner
        properties = type_.types[inner["ref"]] if "ref" in inner else {}
    assert inner == "str"
