"""Storage accounts and their containers.

Source: Azure Storage documentation, "Storage account overview" (names) and "Naming and referencing containers".
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.rules.rule import refused, rule

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
