"""What the caller may do, by IAM's simulation of its policies, and the service-linked roles that services need.

Sources: IAM API, SimulatePrincipalPolicy and GetRole; IAM user guide, "Identifiers" (ARNs of sessions).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.account.rights.aws import rights_of
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.clients.aws.errors import code_of
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Answer, fine, refused, unknown

_AT_ONCE: Final = 100
"""Actions of a request; its answer comes in pages."""
_SHOWN: Final = 6
_ALLOWED: Final = "allowed"
_RIGHTS: Final = "gpucluster rights PLAN  # writes the policies"


@dataclass(frozen=True, kw_only=True)
class _Simulated:
    """Actions by what IAM says of them. elsewhere: not allowed on every resource, perhaps on some."""

    forbidden: tuple[str, ...]
    elsewhere: tuple[str, ...]


def ask_rights(caller: Caller, types: Iterable[str], question: Question) -> Answer:
    """Whether the caller may do all that `gpucluster rights` lists for the types of a plan."""
    principal = _principal(caller)
    if principal is None:
        return fine(question, "the root user may do everything")
    rights = {type_: rights_of(type_) for type_ in sorted(types) if type_.startswith("aws:")}
    actions = sorted({action for found in rights.values() for action in found or ()})
    unlisted = [type_ for type_, found in rights.items() if found is None]
    done = _simulate(caller, principal, actions)
    count = f"{len(actions):,} actions"
    if done.forbidden:
        return refused(question, f"{_names(done.forbidden)} of {count} denied", "allow them", _RIGHTS)
    if done.elsewhere:
        why = f"{_names(done.elsewhere)} of {count} not allowed on every resource, perhaps on some"
        return unknown(question, why, "allow them on the resources of the plan", _RIGHTS)
    if unlisted:
        return unknown(question, f"{count} allowed, but no source lists those of {_names(unlisted)}")
    return fine(question, f"{count} allowed")


def _names(actions: Sequence[str]) -> str:
    rest = len(actions) - _SHOWN
    return ", ".join(actions[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")


def _simulate(caller: Caller, principal: str, actions: Sequence[str]) -> _Simulated:
    def ask(part: Sequence[str]) -> list[Any]:
        asked = {"PolicySourceArn": principal, "ActionNames": part}
        return list(caller.pages("iam", "simulate_principal_policy", "EvaluationResults", **asked))

    parts = [actions[at : at + _AT_ONCE] for at in range(0, len(actions), _AT_ONCE)]
    with ThreadPoolExecutor(max_workers=max(1, len(parts))) as pool:
        denied = [one for found in pool.map(ask, parts) for one in found if one["EvalDecision"] != _ALLOWED]
    named = [(one["EvalActionName"], _for_all(one)) for one in denied]
    return _Simulated(
        forbidden=tuple(name for name, everywhere in named if everywhere),
        elsewhere=tuple(name for name, everywhere in named if not everywhere),
    )


def _for_all(one: Any) -> bool:
    """Whether the action is denied whatever the resource: by a statement, the organization or a boundary. Without a
    statement that fits, one about some resources may still allow it.
    """
    organization = one.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True)
    boundary = one.get("PermissionsBoundaryDecisionDetail", {}).get("AllowedByPermissionsBoundary", True)
    return one["EvalDecision"] == "explicitDeny" or not organization or not boundary


def _principal(caller: Caller) -> str | None:
    """The user or role whose policies count; None for root. The ARN of a session lacks the path of its role."""
    _, partition, _, _, account, who = caller.arn.split(":", 5)
    kind, _, name = who.partition("/")
    if kind == "root":
        return None
    if kind == "user":
        return caller.arn
    if kind != "assumed-role":
        raise CannotAsk(f"IAM can't simulate the rights of {kind}", "log in as a user or a role")
    role = name.split("/")[0]
    try:
        return caller.client("iam").get_role(RoleName=role)["Role"]["Arn"]
    except Exception as error:
        if code_of(error) not in ("AccessDenied", "AccessDeniedException"):
            raise
    if role.startswith("AWSReservedSSO_"):
        raise CannotAsk("the login may not call iam:GetRole, which tells the path of its role", "allow it")
    return f"arn:{partition}:iam::{account}:role/{role}"


def ask_role(caller: Caller, question: Question) -> Answer:
    """Whether a service-linked role exists, or the first request to its service can make it."""
    service = question.details["service"]
    try:
        caller.client("iam").get_role(RoleName=question.subject)
    except Exception as error:
        if code_of(error) != "NoSuchEntity":
            raise
    else:
        return fine(question, "exists")
    command = f"aws iam create-service-linked-role --aws-service-name {service}"
    fix = "create it, once for each account"
    if not question.details["made"]:
        return refused(question, "missing", fix, command)
    principal = _principal(caller)
    action = "iam:CreateServiceLinkedRole"
    done = _Simulated(forbidden=(), elsewhere=()) if principal is None else _simulate(caller, principal, [action])
    if done.forbidden:
        return refused(question, f"missing, and the login may not call {action}", fix, command)
    if done.elsewhere:
        return unknown(question, f"missing, and the login may call {action} for some services at most", fix, command)
    return fine(question, "missing; the first request to the service creates it")
