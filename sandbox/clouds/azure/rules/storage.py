"""Storage accounts and their containers.

Source: Azure Storage documentation, "Storage account overview" (names) and "Naming and referencing containers".
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.sandbox.clouds.azure.model import Thing
from gpucluster.sandbox.clouds.azure.rules.rule import refused, rule

__all__: list[str] = []

_ACCOUNT: Final = "azure-native:storage:StorageAccount"
_CONTAINER: Final = "azure-native:storage:BlobContainer"
_SHARE: Final = "azure-native:storage:FileShare"
_CONTAINER_NAME: Final = re.compile(r"[a-z0-9](-?[a-z0-9])*|\$root|\$web|\$logs")


@rule(_ACCOUNT)
def account_name_is_a_host_name(thing: Thing) -> None:
    """Lower-case letters and digits."""
    if not re.fullmatch("[a-z0-9]{3,24}", thing.name):
        message = (
            f"{thing.name} is not a valid storage account name. Storage account name must be between 3 and 24 "
            "characters in length and use numbers and lower-case letters only."
        )
        raise refused("AccountNameInvalid", message)


@rule(_ACCOUNT)
def account_name_is_free_everywhere(thing: Thing) -> None:
    """The name is part of a host name, so it exists once in the world."""
    if any(entry.name == thing.name for entry in thing.others(_ACCOUNT, thing.name)):
        raise refused(
            "StorageAccountAlreadyTaken", f"The storage account named {thing.name} is already taken.", status=409
        )


@rule(_CONTAINER)
def container_name_is_allowed(thing: Thing) -> None:
    """Lower-case letters, digits and single dashes between them."""
    if not _CONTAINER_NAME.fullmatch(thing.name):
        message = (
            f"'{thing.name}' is not a valid container name; allowed: lower-case letters, digits, and single dashes "
            "between them"
        )
        raise refused("ContainerNameInvalid", message)


@rule(_CONTAINER, _SHARE)
def account_exists(thing: Thing) -> None:
    """A container or a share is in an account that is there."""
    id_ = re.split("/(blob|file)Services/", thing.id, maxsplit=1)[0]
    if thing.at(_ACCOUNT, id_) is None:
        name = thing.inputs["accountName"]
        message = (
            f"The Resource 'Microsoft.Storage/storageAccounts/{name}' under resource group '{thing.group}' was not "
            "found."
        )
        raise refused("ResourceNotFound", message, status=404)
