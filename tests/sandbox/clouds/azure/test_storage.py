"""Rules of Managed Lustre and of storage accounts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.validate import Failure

Stage = Any


def test_a_file_system_says_how_to_mount_it_and_how_fast_it_is(stage: Stage) -> None:
    outputs = stage.file_system().outputs
    assert outputs["clientInfo"]["mgsAddress"] == "10.16.16.5"
    assert outputs["clientInfo"]["mountCommand"] == "mount -t lustre 10.16.16.5@tcp:/lustrefs /lustre-mount"
    assert outputs["throughputProvisionedMBps"] == 2000


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"sku": {"name": "AMLFS-Durable-Premium-1000"}}, "sku.name 'AMLFS-Durable-Premium-1000' is not valid; valid:"),
        ({"sku": None}, "sku.name None is not valid"),
        ({"zones": ["1", "2"]}, "a file system is in one availability zone"),
        ({"zones": ["9"]}, "a file system is in one availability zone"),
        ({"zones": []}, "a file system is in one availability zone"),
        ({"filesystemSubnet": "/no/subnet"}, "filesystemSubnet '/no/subnet' was not found"),
        ({"storageCapacityTiB": 208}, r"\(/24\) does not have enough available IP addresses for 208 TiB.* takes a /23"),
    ],
)
def test_a_file_system_that_managed_lustre_does_not_allow_is_refused(
    stage: Stage, inputs: dict[str, Any], message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        stage.file_system(**inputs)


@pytest.mark.parametrize(
    ("speed", "size", "billed"), [(125, 20, 32), (125, 8, 16), (40, 50, 96), (250, 12, 16), (500, 1, 4)]
)
def test_a_size_between_steps_is_refused_with_what_azure_would_bill(
    stage: Stage, speed: int, size: int, billed: int
) -> None:
    sku = f"AMLFS-Durable-Premium-{speed}"
    message = f"though a real subscription would: {size} TiB would be rounded up to {billed}, and billed: {sku}"
    with pytest.raises(CloudError, match=message):
        stage.file_system(sku={"name": sku}, storageCapacityTiB=size)


@pytest.mark.parametrize(("speed", "size"), [(40, 48), (125, 16), (250, 8), (500, 4), (500, 196)])
def test_every_step_is_taken(stage: Stage, speed: int, size: int) -> None:
    made = stage.file_system(sku={"name": f"AMLFS-Durable-Premium-{speed}"}, storageCapacityTiB=size)
    assert made.outputs["throughputProvisionedMBps"] == speed * size


def test_the_link_to_a_container_is_made_with_the_file_system_or_never(
    account: AzureAccount, azure: Callable[..., Resource], stage: Stage
) -> None:
    there = stage.file_system()
    link = {"settings": {"container": "/c", "loggingContainer": "/l"}}
    asked = azure("storagecache:AmlFilesystem", "shared", **{**there.inputs, "hsm": link})
    with pytest.raises(CloudError, match=r"Changing property 'properties\.hsm' is not allowed"):
        account.update(replace(asked, old_inputs=there.inputs, outputs=there.outputs, id=there.id))


def test_the_name_of_a_file_system_is_checked_while_planning(
    account: AzureAccount, azure: Callable[..., Resource]
) -> None:
    asked = azure(
        "storagecache:AmlFilesystem",
        resourceGroupName="g",
        amlFilesystemName="-",
        filesystemSubnet="/s",
        storageCapacityTiB=16,
        maintenanceWindow={"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
    )
    assert account.failures(asked) == [
        Failure("amlFilesystemName", "'amlFilesystemName' is too short (1): at least 2 characters required"),
        Failure(
            "amlFilesystemName",
            "'amlFilesystemName' does not match expression '^[0-9a-zA-Z][-0-9a-zA-Z_]{0,78}[0-9a-zA-Z]$'",
        ),
    ]


def _account(stage: Stage, name: str) -> Any:
    return stage.make("storage:StorageAccount", accountName=name, kind="StorageV2", sku={"name": "Standard_LRS"})


def test_a_storage_account_is_a_host_and_exists_once(stage: Stage) -> None:
    assert _account(stage, "mydata").outputs["primaryEndpoints"]["blob"] == "https://mydata.blob.core.sandbox.invalid/"
    with pytest.raises(CloudError, match="My-Data is not a valid storage account name"):
        _account(stage, "My-Data")
    stage.create("resources:ResourceGroup", "h", resourceGroupName="h", location="eastus")
    with pytest.raises(CloudError, match="The storage account named mydata is already taken"):
        stage.create(
            "storage:StorageAccount",
            resourceGroupName="h",
            accountName="mydata",
            kind="StorageV2",
            sku={"name": "Standard_LRS"},
        )


def test_a_container_is_in_an_account(stage: Stage) -> None:
    with pytest.raises(CloudError, match=r"Microsoft.Storage/storageAccounts/mydata' under resource group 'g' was not"):
        stage.make("storage:BlobContainer", accountName="mydata", containerName="data")
    _account(stage, "mydata")
    made = stage.make("storage:BlobContainer", accountName="mydata", containerName="data")
    assert made.id.endswith("/storageAccounts/mydata/blobServices/default/containers/data")
    with pytest.raises(CloudError, match="'my--data' is not a valid container name"):
        stage.make("storage:BlobContainer", accountName="mydata", containerName="my--data")


def test_a_share_is_in_an_account_too(stage: Stage) -> None:
    with pytest.raises(CloudError, match=r"Microsoft.Storage/storageAccounts/mydata' under resource group 'g' was not"):
        stage.make("storage:FileShare", accountName="mydata", shareName="home")
    _account(stage, "mydata")
    made = stage.make("storage:FileShare", accountName="mydata", shareName="home", enabledProtocols="NFS")
    assert made.id.endswith("/storageAccounts/mydata/fileServices/default/shares/home")
    assert (made.outputs["enabledProtocols"], made.outputs["leaseState"]) == ("NFS", "available")


SERVICE = "99999999-8888-7777-6666-555555555555"
ROLES = {"account": "17d1049b-9a84-46fb-8f53-869881c3d3ab", "data": "ba92f5b4-2d11-453d-a403-e96b0029c9fe"}


def _link(stage: Stage, *, roles: tuple[str, ...] = ("account", "data"), **account: Any) -> dict[str, Any]:
    """An account with two containers and the roles of the service; returns the settings that link them."""
    made = stage.make(
        "storage:StorageAccount", "d", accountName="mydata", kind="StorageV2", sku={"name": "Standard_LRS"}, **account
    )
    for at, role in enumerate(roles):
        stage.create(
            "authorization:RoleAssignment",
            role,
            principalId=SERVICE,
            roleAssignmentName=f"00000000-0000-0000-0000-00000000000{at}",
            roleDefinitionId=f"/providers/Microsoft.Authorization/roleDefinitions/{ROLES[role]}",
            scope=made.id,
        )
    one, other = (
        stage.make("storage:BlobContainer", name, accountName="mydata", containerName=name).id
        for name in ("tokens", "log")
    )
    return {"container": one, "loggingContainer": other}


def test_a_file_system_is_linked_to_a_container_by_the_roles_of_its_service(stage: Stage) -> None:
    settings = _link(stage)
    assert stage.file_system(hsm={"settings": settings}).outputs["hsm"] == {"settings": settings}


@pytest.mark.parametrize(
    ("there", "change", "message"),
    [
        ({}, {"container": "/none"}, "hsm.settings.container '/none' was not found"),
        ({}, {"loggingContainer": "/none"}, "hsm.settings.loggingContainer '/none' was not found"),
        ({}, {"loggingContainer": None}, "hsm.settings.loggingContainer 'None' was not found"),
        ({"roles": ("data",)}, {}, "would fail to be made: nobody has Storage Account Contributor and Storage Blob"),
        ({"allowSharedKeyAccess": False}, {}, "would fail to be made: mydata refuses keys"),
    ],
)
def test_a_link_that_can_not_work_is_refused(
    stage: Stage, there: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    settings = {**_link(stage, **there), **change}
    with pytest.raises(CloudError, match=message):
        stage.file_system(hsm={"settings": settings})


def test_files_are_exported_to_the_linked_container_by_one_job(stage: Stage) -> None:
    linked = stage.file_system(hsm={"settings": _link(stage)})

    def job(name: str, *paths: str) -> Any:
        return stage.make(
            "storagecache:AutoExportJob", name, amlFilesystemName=linked.outputs["name"], autoExportPrefixes=list(paths)
        )

    with pytest.raises(CloudError, match="more than 1 path"):
        job("both", "/bucket", "/checkpoints")
    assert job("one", "/bucket").outputs["state"] == "InProgress"
    with pytest.raises(CloudError, match="an auto export job of the file system is in progress"):
        job("other", "/checkpoints")


def test_without_a_container_nothing_is_exported(stage: Stage) -> None:
    name = stage.file_system().outputs["name"]
    with pytest.raises(CloudError, match="has no blob container to export to"):
        stage.make("storagecache:AutoExportJob", "job", amlFilesystemName=name, autoExportPrefixes=["/"])
