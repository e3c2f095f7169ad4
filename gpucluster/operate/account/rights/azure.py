"""Permissions in Azure's form: a role definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.program.resources import Resources
from gpucluster.operate.account.rights.command import Rights, rights_in
from gpucluster.sandbox.clouds.azure.paths import listed_path

PACKAGE: Final = "azure-native"

# A type whose actions have another name. Source: Azure documentation, "Azure permissions for Management and
# governance".
_GROUP: Final = "Microsoft.Resources/resourceGroups"
_GROUP_ACTIONS: Final = "Microsoft.Resources/subscriptions/resourceGroups"
# `up` checks whether a feature is registered in the subscription before it creates expensive resources.
_ALWAYS: Final = (
    "Microsoft.Features/featureProviders/subscriptionFeatureRegistrations/read",
    "Microsoft.Resources/subscriptions/read",
)
_ROLE: Final = f"{PACKAGE}:authorization:RoleAssignment"
_ANY_SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000000"


def rights_of(type_: str) -> Rights | None:
    """Read, write and delete of the type, by its path, and the table's additional actions; None if no path is known.

    Source: Azure documentation, "Understand Azure role definitions".
    """
    path = listed_path(type_)
    if path is None:
        return None
    kind = _GROUP_ACTIONS if path.arm_type == _GROUP else path.arm_type
    return (*(f"{kind}/{verb}" for verb in ("read", "write", "delete")), *rights_in("azure").get(type_, ()))


def document(types: Mapping[str, Rights], plan: Resources) -> dict[str, Any]:
    """The document for `az role definition create --role-definition`."""
    providers = [one.inputs.get("subscriptionId") for one in plan if one.type == f"pulumi:providers:{PACKAGE}"]
    scopes = [str(one.inputs.get("scope")).split("/") for one in plan if one.type == _ROLE]
    named = [id_ for id_ in providers if isinstance(id_, str)] + [
        scope[2].lower() for scope in scopes if scope[:2] == ["", "subscriptions"]
    ]
    return {
        "Name": "gpucluster up",
        "IsCustom": True,
        "Description": "Create, change and delete a training cluster",
        "Actions": sorted({*_ALWAYS, *(action for rights in types.values() for action in rights)}),
        "NotActions": [],
        "DataActions": [],
        "NotDataActions": [],
        "AssignableScopes": [f"/subscriptions/{id_}" for id_ in dict.fromkeys(named or [_ANY_SUBSCRIPTION])],
    }
