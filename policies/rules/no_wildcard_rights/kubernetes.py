"""Cluster roles of Kubernetes with every verb on everything.

Sources: Kubernetes pages "Using RBAC Authorization" and "Authorization" (request verbs).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.policies.rule import Accepted, CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import items, text

_ROLE: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
_BINDING: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
_ADMIN: Final = "cluster-admin"
_NAMED: Final = "it lists people, as administrators of the cluster"
_VERBS: Final = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")

FIX: Final = "List the required apiGroups, resources and verbs, and bind them in the namespace that needs them."
READS: Final = f"{_ROLE}, {_BINDING}"


def check(stack: Stack) -> Iterator[Finding]:
    for role in stack.resources.of_type(_ROLE):
        rules = items(role.inputs, "rules")
        if rules is UNKNOWN:
            yield CannotTell(role, "its rules are not known yet")
        elif any(_every(rule, "apiGroups") and _every(rule, "resources") and _every_verb(rule) for rule in rules):
            yield Violation(role, "every verb on every resource")
    for binding in stack.resources.of_type(_BINDING):
        if text(binding.inputs, "roleRef", "name") == _ADMIN:
            what = f"the role {_ADMIN}: every verb on every resource"
            yield Accepted(binding, what, _NAMED) if _people(binding) else Violation(binding, what)


def _people(binding: Resource) -> bool:
    """Whether all of its subjects are users or groups, which Kubernetes knows only by name."""
    subjects = items(binding.inputs, "subjects")
    return (
        subjects is not UNKNOWN
        and bool(subjects)
        and all(
            text(subject, "kind") in ("User", "Group")
            and isinstance(name := text(subject, "name"), str)
            and not name.startswith("system:")
            for subject in subjects
        )
    )


def _every(rule: Any, name: str) -> bool:
    listed = items(rule, name)
    return listed is not UNKNOWN and any(one in listed for one in ("*", "*/*"))


def _every_verb(rule: Any) -> bool:
    verbs = items(rule, "verbs")
    return _every(rule, "verbs") or (verbs is not UNKNOWN and set(_VERBS) <= {str(verb) for verb in verbs})
