"""Roles of Azure with every action, granted on a whole subscription or above it.

Source: Azure page "Azure built-in roles": ids of Owner and Contributor, whose actions are `*`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.names import last
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import items, text

__all__ = ["FIX", "READS", "check"]

_GRANT: Final = "azure-native:authorization:RoleAssignment"
_ROLE: Final = "azure-native:authorization:RoleDefinition"
_WIDE: Final = {
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635": "Owner",
    "b24988ac-6180-42a0-ab88-20f7382dd24c": "Contributor",
}
_ABOVE: Final = re.compile(r"/|/subscriptions/[^/]+/?|/providers/Microsoft\.Management/managementGroups/.*", re.I)

FIX: Final = "Grant a role with the actions that are needed, on the resource or resource group they are needed on."
READS: Final = f"{_GRANT}, {_ROLE}"


def check(stack: Stack) -> Iterator[Finding]:
    for grant in stack.resources.of_type(_GRANT):
        role, scope = text(grant.inputs, "roleDefinitionId"), text(grant.inputs, "scope")
        name = _WIDE.get(last(role).lower()) if isinstance(role, str) else None
        if name and isinstance(scope, str) and _ABOVE.fullmatch(scope):
            yield Violation(grant, f"the role {name} on a whole subscription or above it")
        elif role is UNKNOWN and not grant.dependencies.get("roleDefinitionId"):
            yield CannotTell(grant, "the role that is granted is not known yet")
    for role in stack.resources.of_type(_ROLE):
        if _everything(role):
            yield Violation(role, "a role with action `*` for a whole subscription or above it")


def _everything(role: Resource) -> bool:
    permissions, scopes = items(role.inputs, "permissions"), items(role.inputs, "assignableScopes")
    if permissions is UNKNOWN or scopes is UNKNOWN:
        return False
    actions = [items(entry, "actions") for entry in permissions]
    wide = any(listed is not UNKNOWN and "*" in listed for listed in actions)
    return wide and any(isinstance(scope, str) and _ABOVE.fullmatch(scope) for scope in scopes)
