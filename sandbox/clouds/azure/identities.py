"""The identity of a resource: system-assigned, or user-assigned ones, which are a list in inputs and a map in
outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.identity import guid
from gpucluster.sandbox.clouds.azure.model import ManagedResource

IDENTITY: Final = "azure-native:managedidentity:UserAssignedIdentity"


def of_resource(managed: ManagedResource) -> Mapping[str, Any] | None:
    """The output `identity`; None if the resource has none.

    azure-native accepts the ids of user-assigned identities as a list, and answers with ARM's map of each id to its
    client and principal (pulumi/pulumi-azure-native provider/pkg/gen/properties.go, isStringSet).
    """
    given = mapping(managed.inputs.get("identity"))
    kind = str(given.get("type") or "None")
    if kind == "None":
        return dict(given) or None
    before = mapping(managed.previous.get("identity"))
    found: dict[str, Any] = {"type": kind}
    if "SystemAssigned" in kind:
        found |= {"principalId": before.get("principalId") or guid(), "tenantId": managed.tenant}
    if "UserAssigned" in kind:
        named = items(given.get("userAssignedIdentities"))
        found["userAssignedIdentities"] = {str(id_): _shown(managed, str(id_)) for id_ in named}
    return found


def _shown(managed: ManagedResource, id_: str) -> dict[str, Any]:
    entry = managed.at(IDENTITY, id_)
    return {name: entry.outputs.get(name) for name in ("clientId", "principalId")} if entry is not None else {}
