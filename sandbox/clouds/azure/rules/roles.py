"""Role assignments, federated credentials, and the containers that a Managed Lustre may read.

Source: Azure Managed Lustre documentation, "Prerequisites", "Azure Blob Storage integration": two containers of one
account with key access, and two roles of the service principal HPC Cache Resource Provider in it; missing roles are
detected only when the creation of the otherwise valid file system fails.

Sources: Azure role-based access control documentation, "Troubleshoot Azure RBAC": RoleAssignmentExists,
PrincipalNotFound, and the minutes that a role takes; hashicorp/terraform-provider-azurerm issue 24064 (a cluster is
created before its role); Azure/aad-pod-identity issue 511 (LinkedAuthorizationFailed, with its text);
Azure/modern-web-app-pattern-dotnet pull request 129 (UnmatchedPrincipalType, with its text); Microsoft Entra
documentation, "Federated identity credential considerations" (20 at most, issuer and subject once).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.machines import AGENT_POOL, CLUSTER
from gpucluster.sandbox.clouds.azure.model import ManagedResource, is_guid, kept_from, refused, rule, same_id
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


_IDENTITY: Final = "azure-native:managedidentity:UserAssignedIdentity"
_SERVICE: Final = "ServicePrincipal"
_CREDENTIAL: Final = "azure-native:managedidentity:FederatedIdentityCredential"
_MOST_CREDENTIALS: Final = 20


@rule(_ASSIGNMENT)
def assignment_is_named_by_a_guid(managed: ManagedResource) -> None:
    """The name of an assignment is a GUID."""
    if not is_guid(managed.name):
        message = f"The role assignment ID '{managed.name}' is not valid. The role assignment ID must be a GUID."
        raise refused("InvalidRoleAssignmentId", message)


@rule(_ASSIGNMENT)
def principal_is_a_guid(managed: ManagedResource) -> None:
    """A principal is referenced by its object id, never by the id of the resource."""
    principal = managed.inputs.get("principalId")
    if not is_guid(principal):
        message = f"The principal ID '{principal}' is not valid. Principal ID must be a GUID."
        raise refused("InvalidPrincipalId", message)


@rule(_ASSIGNMENT)
def principal_is_of_the_given_type(managed: ManagedResource) -> None:
    """An identity is a service principal; the SDK defaults to User."""
    principal, kind = managed.inputs.get("principalId"), managed.inputs.get("principalType")
    identities = managed.ledger.mentioning({_IDENTITY}, str(principal))
    if kind not in (None, _SERVICE) and any(entry.outputs.get("principalId") == principal for entry in identities):
        message = (
            f"The PrincipalId '{principal}' has type '{_SERVICE}' , which is different from specified PrinciaplType "
            f"'{kind}'."
        )
        raise refused("UnmatchedPrincipalType", message)


@rule(_ASSIGNMENT)
def role_is_named_by_its_id(managed: ManagedResource) -> None:
    """A role is referenced by the path of its definition, not by its title."""
    role = str(managed.inputs["roleDefinitionId"])
    if "/roleDefinitions/" not in role or not is_guid(role.rsplit("/", 1)[-1]):
        message = f"The role definition ID '{role}' is not valid."
        raise refused("InvalidRoleDefinitionId", message)


@rule(_ASSIGNMENT)
def nothing_is_granted_twice(managed: ManagedResource) -> None:
    """One assignment for a principal, a role and a scope."""
    for entry in managed.others(_ASSIGNMENT, managed.inputs["principalId"]):
        if _grant(entry.inputs) == _grant(managed.inputs):
            message = f"The role assignment already exists. The ID of the conflicting role assignment is {entry.name}."
            raise refused("RoleAssignmentExists", message, status=409)


def cluster_may_use_its_network(managed: ManagedResource, ineffective: Sequence[Entry]) -> None:
    """No new role of a cluster's identity is still to take effect when the cluster, or a pool, is created."""
    cluster = managed.at(CLUSTER, managed.parent) if managed.token == AGENT_POOL else None
    inputs = managed.inputs if managed.token == CLUSTER else cluster.inputs if cluster is not None else {}
    named = items(mapping(inputs.get("identity")).get("userAssignedIdentities"))
    identities = [entry for entry in (managed.at(_IDENTITY, str(id_)) for id_ in named) if entry is not None]
    principals = {entry.outputs.get("principalId") for entry in identities}
    for entry in ineffective:
        if entry.type == _ASSIGNMENT and (principal := entry.inputs["principalId"]) in principals:
            message = (
                f"The client '{principal}' with object id '{principal}' has permission to perform action "
                f"'{managed.path.arm_type}/write' on scope '{managed.id}'; however, it does not have permission to "
                f"perform its actions on the linked scope(s) '{entry.inputs['scope']}' or the linked scope(s) are "
                "invalid."
            )
            raise refused("LinkedAuthorizationFailed", message, status=403)


def _grant(inputs: Mapping[str, Any]) -> tuple[str, str, str]:
    role = str(inputs["roleDefinitionId"]).rsplit("/", 1)[-1]
    return str(inputs["principalId"]).lower(), role.lower(), str(inputs["scope"]).strip("/").lower()


@rule(_CREDENTIAL)
def credential_is_one_of_its_kind(managed: ManagedResource) -> None:
    """Unique issuer and subject per identity, and at most twenty credentials."""
    others = [entry for entry in managed.under(_CREDENTIAL, managed.parent) if not same_id(entry.id, managed.id)]
    if any(
        (entry.inputs["issuer"], entry.inputs["subject"]) == (managed.inputs["issuer"], managed.inputs["subject"])
        for entry in others
    ):
        message = (
            f"Issuer and subject combination already exists for this Managed Identity: {managed.inputs['subject']}"
        )
        raise refused("Conflict", message, status=409)
    if len(others) >= _MOST_CREDENTIALS:
        message = f"Too many Federated Identity Credentials; an identity may have {_MOST_CREDENTIALS}."
        raise refused("BadRequest", message)
