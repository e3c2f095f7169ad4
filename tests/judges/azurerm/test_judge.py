"""The judge by Microsoft's azurerm provider. What asks the provider is skipped where `make judges` has not built it."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.errors import InputError
from gpucluster.judges.azurerm import judge
from gpucluster.judges.azurerm.build import program
from gpucluster.judges.azurerm.judge import JUDGE
from gpucluster.judges.azurerm.names import TYPES, configuration
from gpucluster.judges.names import table
from gpucluster.judges.verdict import Outcome, Remark, Verdict
from gpucluster.program.resources import UNKNOWN
from gpucluster.sandbox.clouds.schema import Schema
from gpucluster.sandbox.clouds.sdk import installed_sdks, site_packages
from tests.judges.conftest import resources
from tests.says import Says

ROWS = table("gpucluster.judges.azurerm", "properties.csv")
NOT_KNOWN = "74D93920-ED26-11E3-AC10-0800200C9A66"
GATEWAY = "azure-native:network:NatGateway"
POOL = "azure-native:containerservice:AgentPool"
LUSTRE = "azure-native:storagecache:AmlFilesystem"
SUBNET = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/g/providers/Microsoft.Network"
    "/virtualNetworks/v/subnets/s"
)
SHARED = {
    "amlFilesystemName": "shared",
    "resourceGroupName": "g",
    "filesystemSubnet": SUBNET,
    "storageCapacityTiB": 16,
    "sku": {"name": "AMLFS-Durable-Premium-125"},
    "zones": ["1"],
    "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
}

built = pytest.mark.skipif(program() is None, reason="`make judges` has not built the azurerm provider")


def verdict(type_: str, inputs: dict[str, Any]) -> Verdict:
    stack = resources(it=(type_, inputs))
    (found,) = JUDGE.judge([*stack], stack)
    return found


def test_inputs_get_the_names_of_azurerm() -> None:
    given = {
        "natGatewayName": "n",
        "resourceGroupName": UNKNOWN,
        "idleTimeoutInMinutes": 4,
        "sku": {"name": "Standard"},
        "publicIpAddresses": [{"id": "a"}],
        "tags": {"a.b/C": "d", "e": UNKNOWN},
        "azureApiVersion": "2024-05-01",
        "__createBeforeDelete": True,
    }
    assert configuration(GATEWAY, given) == (
        {
            "location": NOT_KNOWN,
            "name": "n",
            "resource_group_name": NOT_KNOWN,
            "idle_timeout_in_minutes": 4,
            "sku_name": "Standard",
            "tags": {"a.b/C": "d", "e": NOT_KNOWN},
        },
        ["publicIpAddresses"],
    )


def test_what_azurerm_says_by_leaving_it_out_or_in_another_way_is_not_given() -> None:
    cluster = "azure-native:containerservice:ManagedCluster"
    access = {"managed": True, "enableAzureRBAC": True}
    given = {"autoUpgradeProfile": {"upgradeChannel": "none"}, "aadProfile": access}
    assert configuration(cluster, given)[0] == {
        "name": NOT_KNOWN,
        "location": NOT_KNOWN,
        "azure_active_directory_role_based_access_control": {"tenant_id": NOT_KNOWN, "azure_rbac_enabled": True},
    }
    other = {"autoUpgradeProfile": {"upgradeChannel": "stable"}}
    assert configuration(cluster, other)[0]["automatic_upgrade_channel"] == "stable"


def test_rows_are_sorted_and_none_stands_twice() -> None:
    assert [*TYPES] == sorted(TYPES)
    keys = [(row["type"], row["path"], "" if row["path"] else row["schema"]) for row in ROWS]
    assert keys == sorted(set(keys))


def test_every_row_is_of_a_type_and_an_input_that_the_sdk_has() -> None:
    schema = Schema(installed_sdks(site_packages(None))["azure-native"])
    lost = [row for row in ROWS if row["type"] != "*" and row["path"] and not has(schema, row["type"], row["path"])]
    assert lost == []
    assert {row["type"] for row in ROWS} - {"*"} <= {*TYPES}


def has(schema: Schema, token: str, path: str) -> bool:
    type_ = schema.resource_type(token)
    assert type_ is not None, token
    properties = type_.inputs
    for name in path.split("."):
        if name not in properties:
            return False
        of = properties[name].type
        while isinstance(of, dict) and "list" in of:
            of = of["list"]
        properties = type_.types[of["ref"]] if isinstance(of, dict) and "ref" in of else {}
    return True


def test_where_it_is_not_built_one_error_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "program", lambda: None)
    with pytest.raises(InputError, match="--judge azurerm: the provider is not built; `make judges`"):
        verdict(GATEWAY, {})


@built
def test_a_type_without_a_row_is_not_judged() -> None:
    found = verdict("azure-native:compute:VirtualMachine", {})
    assert (found.outcome, found.why) == (Outcome.NOT_JUDGED, Says("judges/azurerm/types.csv", "no", "row"))


@built
@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        (LUSTRE, SHARED),
        (LUSTRE, {**SHARED, "filesystemSubnet": "${it}", "amlFilesystemName": "${it}"}),
        (GATEWAY, {"resourceGroupName": "g", "sku": {"name": "Standard"}, "zones": ["1"]}),
        (POOL, {"vmSize": "Standard_ND96isr_H100_v5", "count": 2, "nodeLabels": {"nvidia.com/gpu": "H100"}}),
    ],
)
def test_what_the_provider_takes_is_accepted(type_: str, inputs: dict[str, Any]) -> None:
    found = verdict(type_, inputs)
    assert (found.outcome, found.refusals, found.advice) == (Outcome.ACCEPTED, (), ())


@built
@pytest.mark.parametrize(
    ("type_", "inputs", "path", "said"),
    [
        (GATEWAY, {"resourceGroupName": "g", "natGatewayName": " "}, "name", "name must begin with a letter or number"),
        (LUSTRE, {**SHARED, "storageCapacityTiB": -7}, "storage_capacity_in_tb", "storage_capacity_in_tb"),
        (LUSTRE, {**SHARED, "filesystemSubnet": "Bogus-Value"}, "subnet_id", "Bogus-Value"),
        (LUSTRE, {**SHARED, "sku": {"name": "Bogus"}}, "sku_name", "AMLFS-Durable-Premium-125"),
        (POOL, {"vmSize": "Standard_D2s_v5", "osDiskType": "Bogus"}, "os_disk_type", "Ephemeral"),
    ],
)
def test_what_the_provider_refuses_is_refused_in_its_words(
    type_: str, inputs: dict[str, Any], path: str, said: str
) -> None:
    found = verdict(type_, inputs)
    assert found.outcome is Outcome.REFUSED
    assert any(said in refusal.said for refusal in found.refusals if refusal.path == path), found.refusals
    assert all(isinstance(refusal, Remark) for refusal in found.refusals)
