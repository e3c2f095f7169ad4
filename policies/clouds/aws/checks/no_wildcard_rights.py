"""IAM statements that allow any action, of all services or of one, on any resource.

Sources: IAM user guide, "IAM JSON policy elements"; AWS managed policy AdministratorAccess.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, items, text

__all__ = ["FIX", "READS", "check"]

_POLICIES: Final = tuple(
    f"aws:iam/{name}:{name[0].upper()}{name[1:]}" for name in ("policy", "rolePolicy", "userPolicy", "groupPolicy")
)
_ROLE: Final = "aws:iam/role:Role"
_ATTACHMENTS: Final = tuple(
    f"aws:iam/{name}:{name[0].upper()}{name[1:]}"
    for name in ("policyAttachment", "rolePolicyAttachment", "userPolicyAttachment", "groupPolicyAttachment")
)
_EVERYTHING: Final = ":iam::aws:policy/AdministratorAccess"

FIX: Final = "List the actions that are needed, and the ARNs they are needed on."
READS: Final = ", ".join((*_POLICIES, _ROLE, *_ATTACHMENTS))


def check(stack: Stack) -> Iterator[Finding]:
    for type_ in (*_POLICIES, _ROLE):
        for resource in stack.resources.of_type(type_):
            yield from _written(resource)
    for type_ in _ATTACHMENTS:
        for resource in stack.resources.of_type(type_):
            attached = text(resource.inputs, "policyArn")
            if isinstance(attached, str) and attached.endswith(_EVERYTHING):
                yield Violation(resource, "the policy AdministratorAccess", fix="Attach what is needed instead.")


def _written(resource: Resource) -> Iterator[Finding]:
    documents = [_document(given) for given in _given(resource)]
    wide = [words for document in documents if document is not UNKNOWN for words in _wide(document)]
    if wide:
        yield Violation(resource, f"allows {'; '.join(dict.fromkeys(wide))}")
    elif UNKNOWN in documents:
        yield CannotTell(resource, "what its policy allows is not known yet")


def _given(resource: Resource) -> list[Any]:
    if resource.type != _ROLE:
        return [at(resource.inputs, "policy")]
    inline = items(resource.inputs, "inlinePolicies")
    managed = items(resource.inputs, "managedPolicyArns")
    everything = managed is not UNKNOWN and any(str(arn).endswith(_EVERYTHING) for arn in managed)
    admin = [{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}] if everything else []
    return [*admin, *([UNKNOWN] if inline is UNKNOWN else [at(entry, "policy") for entry in inline])]


def _document(given: Any) -> Any:
    """A policy as an object; an empty one for what is no policy, which IAM refuses by itself."""
    if not isinstance(given, str):
        return UNKNOWN if given is UNKNOWN else cast("Any", given) if isinstance(given, Mapping) else {}
    try:
        return json.loads(given)
    except json.JSONDecodeError:
        return {}


def _wide(document: object) -> Iterator[str]:
    """The statements with a wildcard for both, in words."""
    for statement in _listed(at(document, "Statement")):
        if at(statement, "Effect") != "Allow" or "*" not in _listed(at(statement, "Resource")):
            continue
        if at(statement, "NotAction") is not None:
            yield "all actions but those named, on `*`"
        wide = [action for action in _listed(at(statement, "Action")) if _is_wide(action)]
        if wide:
            yield f"{', '.join(f'`{action}`' for action in wide)} on `*`"


def _is_wide(action: object) -> bool:
    return action == "*" or (isinstance(action, str) and action.endswith(":*"))


def _listed(value: Any) -> list[Any]:
    """IAM takes one thing or a list of them."""
    if value is None or value is UNKNOWN:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]
