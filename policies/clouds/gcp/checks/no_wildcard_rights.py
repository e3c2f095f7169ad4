"""Basic roles of Google Cloud: thousands of permissions on everything in a project (IAM page "Basic roles")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import text

__all__ = ["FIX", "READS", "check"]

_GRANTS: Final = tuple(
    f"gcp:{level}/{kind}:{kind[0].upper()}{kind[1:]}"
    for level in ("projects", "folder", "organizations")
    for kind in ("iAMMember", "iAMBinding")
)
_BASIC: Final = ("roles/owner", "roles/editor")

FIX: Final = "Grant the predefined roles that are needed, on the resource they are needed on."
READS: Final = ", ".join(_GRANTS)


def check(stack: Stack) -> Iterator[Finding]:
    for type_ in _GRANTS:
        for grant in stack.resources.of_type(type_):
            role = text(grant.inputs, "role")
            if role in _BASIC:
                yield Violation(grant, f"the basic role {role}")
            elif role is UNKNOWN and not _own_role(stack, grant.dependencies.get("role", ())):
                yield CannotTell(grant, "the role that is granted is not known yet")


def _own_role(stack: Stack, urns: tuple[str, ...]) -> bool:
    """Whether the role is one that this stack makes, which is no basic one."""
    found = (stack.resources.get(urn) for urn in urns)
    return any(role is not None and role.type.endswith("CustomRole") for role in found)
