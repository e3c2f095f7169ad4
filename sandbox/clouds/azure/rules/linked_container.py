"""The blob containers linked to a Managed Lustre.

Source: Azure Managed Lustre documentation, "Prerequisites", "Azure Blob Storage integration": two containers of one
account with key access, and two roles of the service principal HPC Cache Resource Provider in it; missing roles are
detected only when the creation of the otherwise valid file system fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.identity import same_id
from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.rules.rule import kept_from, refused, rule
from gpucluster.sandbox.clouds.store.ledger import Entry

_LUSTRE: Final = "azure-native:storagecache:AmlFilesystem"
_EXPORT: Final = "azure-native:storagecache:AutoExportJob"
_ACCOUNT: Final = "azure-native:storage:StorageAccount"
_CONTAINER: Final = "azure-native:storage:BlobContainer"
_ASSIGNMENT: Final = "azure-native:authorization:RoleAssignment"
_ROLES: Final = {
    "17d1049b-9a84-46fb-8f53-869881c3d3ab": "Storage Account Contributor",
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe": "Storage Blob Data Contributor",
}
"""Azure built-in roles documentation, "Storage"."""


def _settings(managed: ManagedResource) -> Mapping[str, Any]:
    return mapping(mapping(managed.inputs.get("hsm")).get("settings"))


@rule(_LUSTRE)
def containers_are_there(managed: ManagedResource) -> None:
    """Both exist, and are different."""
    settings = _settings(managed)
    if not settings:
        return
    for name in ("container", "loggingContainer"):
        if managed.at(_CONTAINER, settings.get(name)) is None:
            message = f"hsm.settings.{name} '{settings.get(name)}' was not found"
            raise refused("InvalidParameter", message)
    if same_id(str(settings["container"]), settings["loggingContainer"]):
        raise refused("InvalidParameter", "hsm.settings.container and hsm.settings.loggingContainer must differ")


@rule(_LUSTRE)
def service_may_read_them(managed: ManagedResource) -> None:
    """The account allows key access, and a principal that could be the service has both roles on it or an enclosing
    scope.
    """
    if not _settings(managed):
        return
    id_ = _account(managed)
    account = managed.at(_ACCOUNT, id_)
    if account is not None and account.inputs.get("allowSharedKeyAccess") is False:
        raise kept_from(managed, f"the file system would fail to be made: {account.name} refuses keys")
    having: dict[str, set[str]] = {}
    parts = id_.split("/")
    around = ["/".join(parts[: at + 1]) for at in range(1, len(parts))]
    for entry in managed.ledger.mentioning({_ASSIGNMENT}, *around):
        if role := _role(entry, id_):
            having.setdefault(str(entry.inputs["principalId"]), set()).add(role)
    if not any(roles == set(_ROLES) for roles in having.values()):
        what = " and ".join(_ROLES.values())
        raise kept_from(managed, f"the file system would fail to be made: nobody has {what} in {id_}")


def service_may_read_its_container(managed: ManagedResource, ineffective: Sequence[Entry]) -> None:
    """No new role of the service is still to take effect."""
    if managed.token != _LUSTRE or not _settings(managed):
        return
    id_ = _account(managed)
    for entry in ineffective:
        if entry.type == _ASSIGNMENT and (role := _role(entry, id_)):
            why = f"{_ROLES[role]} in {id_} was granted too recently"
            raise kept_from(managed, f"the file system would fail to be made: {why}")


def _account(managed: ManagedResource) -> str:
    return str(_settings(managed)["container"]).split("/blobServices/", maxsplit=1)[0]


def _role(entry: Entry, account: str) -> str:
    """The one of the two roles that an assignment gives in an account, empty if none."""
    scope = str(entry.inputs["scope"]).strip("/").lower()
    role = str(entry.inputs["roleDefinitionId"]).rsplit("/", 1)[-1].lower()
    return role if role in _ROLES and f"{account.lower()}/".startswith(f"/{scope}/") else ""


@rule(_EXPORT)
def there_is_a_container_to_export_to(managed: ManagedResource) -> None:
    """Files are exported to the container linked at the creation of the file system, from one path, by one job at a
    time.

    Source: Azure Managed Lustre documentation, "Use the auto-export feature"; AutoExportJob of the API, prefixes.
    """
    file_system = managed.at(_LUSTRE, managed.parent)
    if file_system is not None and not mapping(mapping(file_system.inputs.get("hsm")).get("settings")):
        raise refused("InvalidParameter", f"{file_system.name} has no blob container to export to")
    if len(managed.inputs.get("autoExportPrefixes") or ()) > 1:
        raise refused("InvalidParameter", "autoExportPrefixes has more than 1 path")
    if any(not same_id(entry.id, managed.id) for entry in managed.under(_EXPORT, managed.parent)):
        raise refused("Conflict", "an auto export job of the file system is in progress", status=409)
