"""Rights as Azure takes them: a role definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.account.rights.table import Rights, rights_in
from gpucluster.program.resources import Resources
from gpucluster.sandbox.clouds.azure.paths import listed_path

PACKAGE: Final = "azure-native"

# Whose actions have another name than their type. Source: Azure documentation, "Azure permissions for Management and
# governance".
_GROUP: Final = "Microsoft.Resources/resourceGroups"
_GROUP_ACTIONS: Final = "Microsoft.Resources/subscriptions/resourceGroups"
# `up` looks whether a feature is registered in the subscription, before anything dear is made.
_ALWAYS: Final = (
    "Microsoft.Features/featureProviders/subscriptionFeatureRegistrations/read",
    "Microsoft.Resources/subscriptions/read",
)
_ANY_SUBSCRIPTION: Final = "00000000-0000-0000-0000-000000000000"


def rights_of(type_: str) -> Rights | None:
    """Read, write and delete of the type, by its path, and the actions beside them that the table names; None where no
    path is known.

    Source: Azure documentation, "Understand Azure role definitions".
    """
    path = listed_path(type_)
    if path is None:
        return None
    kind = _GROUP_ACTIONS if path.arm_type == _GROUP else path.arm_type
    return (*(f"{kind}/{verb}" for verb in ("read", "write", "delete")), *rights_in("azure").get(type_, ()))


def document(types: Mapping[str, Rights], plan: Resources) -> dict[str, Any]:
    """As `az role definition create --role-definition` takes it."""
    named = (one.inputs.get("subscriptionId") for one in plan if one.type == f"pulumi:providers:{PACKAGE}")
    subscription = next((id_ for id_ in named if isinstance(id_, str)), _ANY_SUBSCRIPTION)
    return {
        "Name": "gpucluster up",
        "IsCustom": True,
        "Description": "Create, change and delete a training cluster",
        "Actions": sorted({*_ALWAYS, *(action for rights in types.values() for action in rights)}),
        "NotActions": [],
        "DataActions": [],
        "NotDataActions": [],
        "AssignableScopes": [f"/subscriptions/{subscription}"],
    }
