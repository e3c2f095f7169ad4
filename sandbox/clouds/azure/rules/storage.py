"""Managed Lustre, storage accounts and their containers.

Sources: Azure Managed Lustre documentation, "Create a file system" (sizes and steps by SKU, confirmed by
Azure/cyclecloud-slurm-workspace bicep/amlfs.bicep) and "Prerequisites" (size of the subnet); Azure/azure-rest-api-specs
storagecache stable/2024-03-01 amlfilesystem.json (one zone; a size "might be rounded up").

Source: Azure Storage documentation, "Storage account overview" (names) and "Naming and referencing containers".
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.model import ManagedResource, kept_from, refused, rule
from gpucluster.sandbox.clouds.azure.networks import ranges_of_subnet

_LUSTRE: Final = "azure-native:storagecache:AmlFilesystem"
_SUBNET: Final = "azure-native:network:Subnet"
_STEPS: Final = {
    "AMLFS-Durable-Premium-40": 48,
    "AMLFS-Durable-Premium-125": 16,
    "AMLFS-Durable-Premium-250": 8,
    "AMLFS-Durable-Premium-500": 4,
}
"""TiB, by SKU: the minimum and the step."""

_PREFIXES: Final = ((16, 27), (40, 26), (92, 25), (196, 24), (400, 23))
"""Maximum size of a file system in TiB for a subnet with this prefix."""


def _step(managed: ManagedResource) -> int | None:
    return _STEPS.get(str(mapping(managed.inputs.get("sku")).get("name")))


@rule(_LUSTRE)
def sku_is_one_that_is_sold(managed: ManagedResource) -> None:
    """One of four SKUs."""
    if _step(managed) is None:
        given = mapping(managed.inputs.get("sku")).get("name")
        raise refused("InvalidParameter", f"sku.name {given!r} is not valid; valid: {', '.join(_STEPS)}")


@rule(_LUSTRE)
def size_is_a_step(managed: ManagedResource) -> None:
    """The size is a step: Azure rounds up to the next one, and bills it."""
    step, size = _step(managed), float(managed.inputs["storageCapacityTiB"])
    if step is None or (size > 0 and size % step == 0):
        return
    billed = max(step, -int(-size // step) * step)
    sku = managed.inputs["sku"]["name"]
    raise kept_from(
        managed, f"{size:g} TiB would be rounded up to {billed}, and billed: {sku} is sold in steps of {step} TiB"
    )


@rule(_LUSTRE)
def file_system_is_in_one_zone(managed: ManagedResource) -> None:
    """Exactly one zone; a region has up to three."""
    zones = items(managed.inputs.get("zones"))
    if len(zones) != 1 or zones[0] not in ("1", "2", "3"):
        message = f"zones {zones} is not valid; a file system is in one availability zone, such as ['1']"
        raise refused("InvalidParameter", message)


@rule(_LUSTRE)
def subnet_is_large_enough(managed: ManagedResource) -> None:
    """The servers of a file system use addresses of its subnet."""
    found = managed.at(_SUBNET, managed.inputs["filesystemSubnet"])
    if found is None:
        message = f"filesystemSubnet '{managed.inputs['filesystemSubnet']}' was not found"
        raise refused("InvalidParameter", message)
    size = float(managed.inputs["storageCapacityTiB"])
    longest = next((prefix for most, prefix in _PREFIXES if size <= most), None)
    widest = min((block.prefixlen for block in ranges_of_subnet(found.inputs)), default=32)
    if longest is not None and widest > longest:
        message = (
            f"filesystemSubnet '{found.name}' (/{widest}) does not have enough available IP addresses for "
            f"{size:g} TiB, which takes a /{longest}"
        )
        raise refused("InvalidParameter", message)


_ACCOUNT: Final = "azure-native:storage:StorageAccount"
_CONTAINER: Final = "azure-native:storage:BlobContainer"
_SHARE: Final = "azure-native:storage:FileShare"
_CONTAINER_NAME: Final = r"[a-z0-9](-?[a-z0-9])*|\$root|\$web|\$logs"


@rule(_ACCOUNT)
def account_name_is_a_host_name(managed: ManagedResource) -> None:
    """Lower-case letters and digits."""
    if not re.fullmatch("[a-z0-9]{3,24}", managed.name):
        message = (
            f"{managed.name} is not a valid storage account name. Storage account name must be between 3 and 24 "
            "characters in length and use numbers and lower-case letters only."
        )
        raise refused("AccountNameInvalid", message)


@rule(_ACCOUNT)
def account_name_is_free_everywhere(managed: ManagedResource) -> None:
    """The name is part of a host name, so it is unique worldwide."""
    if any(entry.name == managed.name for entry in managed.others(_ACCOUNT, managed.name)):
        raise refused(
            "StorageAccountAlreadyTaken", f"The storage account named {managed.name} is already taken.", status=409
        )


@rule(_CONTAINER)
def container_name_is_allowed(managed: ManagedResource) -> None:
    """Lower-case letters, digits and single dashes between them."""
    if not re.fullmatch(_CONTAINER_NAME, managed.name):
        message = (
            f"'{managed.name}' is not a valid container name; allowed: lower-case letters, digits, and single dashes "
            "between them"
        )
        raise refused("ContainerNameInvalid", message)


@rule(_CONTAINER, _SHARE)
def account_exists(managed: ManagedResource) -> None:
    """The account of a container or a share exists."""
    id_ = re.split("/(blob|file)Services/", managed.id, maxsplit=1)[0]
    if managed.at(_ACCOUNT, id_) is None:
        name = managed.inputs["accountName"]
        message = (
            f"The Resource 'Microsoft.Storage/storageAccounts/{name}' under resource group '{managed.group}' was not "
            "found."
        )
        raise refused("ResourceNotFound", message, status=404)
