"""Managed identities and their permissions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.azure.identity import guid
from gpucluster.sandbox.clouds.azure.model import ManagedResource, models
from gpucluster.sandbox.clouds.azure.outputs import made


@models("azure-native:managedidentity:UserAssignedIdentity")
def user_assigned_identity(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "clientId": managed.keep("clientId", guid),
        "principalId": managed.keep("principalId", guid),
        "tenantId": managed.tenant,
    }


@models("azure-native:managedidentity:FederatedIdentityCredential")
def federated_credential(managed: ManagedResource) -> Mapping[str, Any]:
    return made(managed)


@models("azure-native:authorization:RoleAssignment")
def role_assignment(managed: ManagedResource) -> Mapping[str, Any]:
    """The kind of the principal is looked up if the program has none.

    Source: Azure role-based access control API 2022-04-01, RoleAssignmentProperties: `principalType` is User unless the
    directory has another.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(managed),
        "createdOn": managed.keep("createdOn", lambda: now),
        "principalType": managed.inputs.get("principalType") or _kind(managed),
        "updatedOn": now,
    }


def _kind(managed: ManagedResource) -> str:
    principal = managed.inputs.get("principalId")
    identities = managed.ledger.mentioning({"azure-native:managedidentity:UserAssignedIdentity"}, str(principal))
    known = any(entry.outputs.get("principalId") == principal for entry in identities)
    return "ServicePrincipal" if known else "User"
