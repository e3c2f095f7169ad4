"""What the Python SDK asks of programs that the provider never sees."""

from __future__ import annotations

import pulumi_azure_native as azure
import pytest

from gpucluster.sandbox.clouds.types.schema import Schema

WITH_A_PARENT = ("AgentPool", "MaintenanceConfiguration")


@pytest.mark.parametrize("name", WITH_A_PARENT)
def test_arguments_in_an_object_collide_with_the_logical_name_where_the_parent_is_called_resource_name(
    name: str,
) -> None:
    """Known of 3.29.0; once it is gone, `resource_name_` and keywords are no longer needed."""
    args = getattr(azure.containerservice, f"{name}Args")(resource_group_name="g", resource_name="c")
    with pytest.raises(TypeError, match="multiple values for argument 'resource_name'"):
        getattr(azure.containerservice, name)("pool", args)


def test_so_do_those_of_identities_that_name_themselves() -> None:
    args = azure.managedidentity.UserAssignedIdentityArgs(resource_group_name="g", resource_name="i")
    with pytest.raises(TypeError, match="multiple values for argument 'resource_name'"):
        azure.managedidentity.UserAssignedIdentity("identity", args)


@pytest.mark.parametrize("name", WITH_A_PARENT)
def test_the_provider_knows_the_parent_by_its_wire_name(schemas: dict[str, Schema], name: str) -> None:
    type_ = schemas["azure-native"].resource_type(f"azure-native:containerservice:{name}")
    assert type_ is not None
    assert type_.inputs["resourceName"].required


def test_names_on_the_wire_are_those_of_the_api(schemas: dict[str, Schema]) -> None:
    pool = schemas["azure-native"].resource_type("azure-native:containerservice:AgentPool")
    lustre = schemas["azure-native"].resource_type("azure-native:storagecache:AmlFilesystem")
    assert pool is not None
    assert lustre is not None
    wire = {
        "capacityReservationGroupID",
        "proximityPlacementGroupID",
        "osDiskSizeGB",
        "osSKU",
        "vnetSubnetID",
        "podSubnetID",
        "linuxOSConfig",
        "gpuProfile",
        "gpuInstanceProfile",
    }
    assert wire - set(pool.inputs) == set()
    assert "storageCapacityTiB" in lustre.inputs
    assert lustre.types["storagecache/_inputs:AmlFilesystemMaintenanceWindowArgs"].keys() == {
        "dayOfWeek",
        "timeOfDayUTC",
    }


def test_the_version_of_the_api_is_read_from_the_sdk(schemas: dict[str, Schema]) -> None:
    versions = {
        token: schemas[token.split(":")[0]].resource_type(token)
        for token in ("azure-native:containerservice:AgentPool", "gcp:compute/network:Network")
    }
    assert [type_.api_version for type_ in versions.values() if type_ is not None] == ["2025-09-01", ""]
