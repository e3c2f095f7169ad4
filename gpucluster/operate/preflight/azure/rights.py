"""Whether the caller may do what `up` does, by its roles: those of its groups and of management groups, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpucluster.core.program.questions import Question
from gpucluster.core.program.resources import Resources
from gpucluster.operate.account.rights.azure import document, rights_of
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.clients.azure.login import Caller
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.azure.ids import id_of

_SHOWN = 3
_ROLES = "Microsoft.Authorization/roleAssignments/"


@dataclass(frozen=True, kw_only=True)
class _Grant:
    """Permissions of a role. limited: its assignment has a condition, which Azure alone can evaluate."""

    actions: Sequence[str]
    excluded: Sequence[str]
    limited: bool = False

    def allows(self, action: str) -> bool:
        return _any(action, self.actions) and not _any(action, self.excluded)


def rights_askers(clients: Clients, caller: Caller) -> Mapping[str, Asker]:
    """Each scope is asked once."""

    def ask(asked: Sequence[Question]) -> list[Answer]:
        answers: list[Answer] = []
        for scope in dict.fromkeys(one.subject for one in asked):
            grants = _grants(clients, caller, scope)
            answers += [_answer(one, grants, caller) for one in asked if one.subject == scope]
        return answers

    return {"rights": ask}


def _grants(clients: Clients, caller: Caller, scope: str) -> list[_Grant]:
    """Of a resource group Azure lists the permissions itself; of a subscription only the roles.

    Source: Azure RBAC documentation, "List Azure role assignments using the REST API" (atScope, assignedTo).
    """
    if "/resourcegroups/" in scope.lower():
        where = id_of(scope)
        listed = clients.of(where.subscription).authorization.permissions.list_for_resource_group(where.group)
        return [_grant(one) for one in listed]
    api = clients.authorization
    assigned = api.role_assignments.list_for_scope(scope, filter=f"atScope() and assignedTo('{caller.object_id}')")
    grants: list[_Grant] = []
    for role, limited in {(one.role_definition_id or "", bool(one.condition)) for one in assigned}:
        permissions: Any = api.role_definitions.get_by_id(role).permissions or []
        grants += [_grant(one, limited=limited) for one in permissions]
    return grants


def _grant(permission: Any, *, limited: bool = False) -> _Grant:
    return _Grant(actions=permission.actions or [], excluded=permission.not_actions or [], limited=limited)


def _answer(question: Question, grants: Sequence[_Grant], caller: Caller) -> Answer:
    wanted = _wanted(question)
    missing = [action for action in wanted if not any(one.allows(action) for one in grants if not one.limited)]
    if not missing:
        return fine(question, f"all {len(wanted)} actions" if question.details.get("types") else "allowed")
    if all(any(one.allows(action) for one in grants) for action in missing):
        return unknown(
            question,
            f"only under a condition, which Azure evaluates: {_some(missing)}",
            "an owner can tell whether it allows the roles that the plan grants",
            _listing(question, caller),
        )
    lacks = f"{len(missing)} of {len(wanted)} actions are missing: {_some(missing)}"
    only_roles = all(action.startswith(_ROLES) for action in missing)
    role = "Role Based Access Control Administrator" if only_roles else "Contributor"
    fix = (
        f"ask an owner for {role}, or for the role that `gpucluster rights` writes; activate one that is only eligible"
    )
    return refused(question, lacks, fix, _granting(question, caller, role))


def _wanted(question: Question) -> list[str]:
    """Actions of the question, and of the types that it names."""
    own = question.details.get("actions", "").split()
    types = question.details.get("types", "").split()
    if not types:
        return own
    known = {type_: rights for type_ in types if (rights := rights_of(type_)) is not None}
    actions: Sequence[str] = document(known, Resources([]))["Actions"]
    # The right to assign roles has its own question.
    return [*own, *(action for action in actions if not action.startswith(_ROLES))]


def _any(action: str, patterns: Iterable[str]) -> bool:
    return any(
        re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), action, re.IGNORECASE) is not None for pattern in patterns
    )


def _some(actions: Sequence[str]) -> str:
    more = f" and {len(actions) - _SHOWN} more" if len(actions) > _SHOWN else ""
    return ", ".join(actions[:_SHOWN]) + more


def _listing(question: Question, caller: Caller) -> str:
    who = f"--assignee {caller.object_id} --include-groups --include-inherited"
    return f"az role assignment list {who} --scope {question.subject}"


def _granting(question: Question, caller: Caller, role: str) -> str:
    return f'az role assignment create --role "{role}" --assignee {caller.object_id} --scope {question.subject}'
