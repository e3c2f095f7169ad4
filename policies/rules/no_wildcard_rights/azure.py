"""Azure roles with every action, granted on a whole subscription or above it.

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

_GRANT: Final = "azure-native:authorization:RoleAssignment"
_ROLE: Final = "azure-native:authorization:RoleDefinition"
_WIDE: Final = {
    "8e3af657-a8ff-443c-a75c-2fe8c4bcb635": "Owner",
    "b24988ac-6180-42a0-ab88-20f7382dd24c": "Contributor",
}
_ABOVE: Final = r"(?i)/|/subscriptions/[^/]+/?|/providers/Microsoft\.Management/managementGroups/.*"
_ALL: Final = r"[*/]*\*[*/]*"

FIX: Final = "Grant a role with only the required actions, on the resource or resource group that needs them."
READS: Final = f"{_GRANT}, {_ROLE}"


def check(stack: Stack) -> Iterator[Finding]:
    for grant in stack.resources.of_type(_GRANT):
        yield from _granted(grant)
    for role in stack.resources.of_type(_ROLE):
        yield from _defined(role)


def _granted(grant: Resource) -> Iterator[Finding]:
    role, scope = text(grant.inputs, "roleDefinitionId"), text(grant.inputs, "scope")
    name = _WIDE.get(last(role).lower()) if isinstance(role, str) else None
    if name and isinstance(scope, str) and re.fullmatch(_ABOVE, scope):
        yield Violation(grant, f"the role {name} on a whole subscription or above it")
    elif name and scope is UNKNOWN and not grant.dependencies.get("scope"):
        yield CannotTell(grant, f"the scope of the role {name} is not known yet")
    elif role is UNKNOWN and not grant.dependencies.get("roleDefinitionId"):
        yield CannotTell(grant, "the role that is granted is not known yet")


def _defined(role: Resource) -> Iterator[Finding]:
    permissions, scopes = items(role.inputs, "permissions"), items(role.inputs, "assignableScopes")
    listed = [UNKNOWN] if permissions is UNKNOWN else [items(entry, "actions") for entry in permissions]
    actions = [action for each in listed for action in ([UNKNOWN] if each is UNKNOWN else each)]
    wide = [action for action in actions if isinstance(action, str) and re.fullmatch(_ALL, action)]
    above = scopes is not UNKNOWN and any(isinstance(scope, str) and re.fullmatch(_ABOVE, scope) for scope in scopes)
    if wide and above:
        yield Violation(role, f"a role with action `{wide[0]}` for a whole subscription or above it")
    elif (wide or UNKNOWN in actions) and (above or scopes is UNKNOWN):
        yield CannotTell(role, "its actions and scope are not known yet")
