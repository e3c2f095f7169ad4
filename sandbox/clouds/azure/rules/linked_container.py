"""The containers of blobs that a Managed Lustre is linked to.

Source: Azure Managed Lustre documentation, "Prerequisites", "Azure Blob Storage integration": two containers of one
account that takes keys, and two roles of the service principal HPC Cache Resource Provider in it; missing roles are
found only when the file system, valid so far, fails to be made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.azure.identity import same_id
from gpucluster.sandbox.clouds.azure.model import Thing
from gpucluster.sandbox.clouds.azure.rules.rule import kept_from, refused, rule
from gpucluster.sandbox.narrow import mapping

__all__: list[str] = []

_LUSTRE: Final = "azure-native:storagecache:AmlFilesystem"
_ACCOUNT: Final = "azure-native:storage:StorageAccount"
_CONTAINER: Final = "azure-native:storage:BlobContainer"
_ASSIGNMENT: Final = "azure-native:authorization:RoleAssignment"
_ROLES: Final = {
    "17d1049b-9a84-46fb-8f53-869881c3d3ab": "Storage Account Contributor",
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe": "Storage Blob Data Contributor",
}
"""Azure built-in roles documentation, "Storage"."""


def _settings(thing: Thing) -> Mapping[str, Any]:
    return mapping(mapping(thing.inputs.get("hsm")).get("settings"))


@rule(_LUSTRE)
def containers_are_there(thing: Thing) -> None:
    """Both are there, and not the same."""
    settings = _settings(thing)
    if not settings:
        return
    for name in ("container", "loggingContainer"):
        if thing.at(_CONTAINER, settings.get(name)) is None:
            message = f"hsm.settings.{name} '{settings.get(name)}' was not found"
            raise refused("InvalidParameter", message)
    if same_id(str(settings["container"]), settings["loggingContainer"]):
        raise refused("InvalidParameter", "hsm.settings.container and hsm.settings.loggingContainer must differ")


@rule(_LUSTRE)
def service_may_read_them(thing: Thing) -> None:
    """The account takes keys, and somebody who could be the service has both roles in it, or around it."""
    if not _settings(thing):
        return
    id_ = str(_settings(thing)["container"]).split("/blobServices/", maxsplit=1)[0]
    account = thing.at(_ACCOUNT, id_)
    if account is not None and account.inputs.get("allowSharedKeyAccess") is False:
        raise kept_from(thing, f"the file system would fail to be made: {account.name} refuses keys")
    having: dict[str, set[str]] = {}
    for entry in thing.ledger.of_types({_ASSIGNMENT}):
        scope = str(entry.inputs["scope"]).rstrip("/").lower()
        role = str(entry.inputs["roleDefinitionId"]).rsplit("/", 1)[-1].lower()
        if role in _ROLES and f"{id_.lower()}/".startswith(f"/{scope.lstrip('/')}/"):
            having.setdefault(str(entry.inputs["principalId"]), set()).add(role)
    if not any(roles == set(_ROLES) for roles in having.values()):
        what = " and ".join(_ROLES.values())
        raise kept_from(thing, f"the file system would fail to be made: nobody has {what} in {id_}")
