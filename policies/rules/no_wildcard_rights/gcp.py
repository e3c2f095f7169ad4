"""Basic roles of Google Cloud, with thousands of permissions on everything in a project (IAM page "Basic roles"), and
roles on a project or above it for everybody (IAM page "Principal identifiers").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, is_list, items, parsed, text

_GRANTS: Final = tuple(
    f"gcp:{level}/{kind}:{kind[0].upper()}{kind[1:]}"
    for level in ("projects", "folder", "organizations")
    for kind in ("iAMMember", "iAMBinding")
)
_WHOLE: Final = tuple(f"gcp:{level}/iAMPolicy:IAMPolicy" for level in ("projects", "folder", "organizations"))
_BASIC: Final = ("roles/owner", "roles/editor")
_ANYBODY: Final = ("allUsers", "allAuthenticatedUsers")

FIX: Final = "Grant only the required predefined roles, on the resource that needs them."
READS: Final = ", ".join((*_GRANTS, *_WHOLE))


def check(stack: Stack) -> Iterator[Finding]:
    for type_ in _GRANTS:
        for grant in stack.resources.of_type(type_):
            yield from _granted(grant, stack)
    for type_ in _WHOLE:
        for policy in stack.resources.of_type(type_):
            yield from _policy(policy)


def _granted(grant: Resource, stack: Stack) -> Iterator[Finding]:
    role, members = text(grant.inputs, "role"), items(grant.inputs, "members")
    given = [text(grant.inputs, "member"), *([] if members is UNKNOWN else members)]
    if wrong := _wrong(role, given):
        yield Violation(grant, wrong)
    elif role is UNKNOWN and not _own_role(stack, grant.dependencies.get("role", ())):
        yield CannotTell(grant, "the role that is granted is not known yet")


def _policy(policy: Resource) -> Iterator[Finding]:
    """A whole policy: JSON, usually from a data source."""
    given = text(policy.inputs, "policyData")
    if given is UNKNOWN:
        yield CannotTell(policy, "the roles that it grants are not known yet")
    elif given is not None:
        bindings = items(parsed(given), "bindings")
        found = [_wrong(at(one, "role"), at(one, "members")) for one in (bindings if is_list(bindings) else ())]
        if wrong := [words for words in found if words]:
            yield Violation(policy, "; ".join(dict.fromkeys(wrong)))


def _wrong(role: object, members: object) -> str | None:
    if role in _BASIC:
        return f"the basic role {role}"
    anybody = [one for one in members if one in _ANYBODY] if is_list(members) else []
    return f"the role {role} for {' and '.join(anybody)}" if anybody and isinstance(role, str) else None


def _own_role(stack: Stack, urns: tuple[str, ...]) -> bool:
    """Whether the role is in this stack; such a role is not a basic one."""
    return any(role.type.endswith("CustomRole") for role in stack.resources.present(urns))
