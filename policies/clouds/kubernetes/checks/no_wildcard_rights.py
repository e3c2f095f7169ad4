"""Cluster roles of Kubernetes with every verb on everything (Kubernetes page "Using RBAC Authorization")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import items, text

__all__ = ["FIX", "READS", "check"]

_ROLE: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
_BINDING: Final = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
_ADMIN: Final = "cluster-admin"

FIX: Final = (
    "Name the apiGroups, resources and verbs that are needed, and bind them in the namespace they are needed in."
)
READS: Final = f"{_ROLE}, {_BINDING}"


def check(stack: Stack) -> Iterator[Finding]:
    for role in stack.resources.of_type(_ROLE):
        rules = items(role.inputs, "rules")
        if rules is UNKNOWN:
            yield CannotTell(role, "what it allows is not known yet")
        elif any(all(_every(rule, name) for name in ("apiGroups", "resources", "verbs")) for rule in rules):
            yield Violation(role, "every verb on every resource")
    for binding in stack.resources.of_type(_BINDING):
        if text(binding.inputs, "roleRef", "name") == _ADMIN:
            yield Violation(binding, f"the role {_ADMIN}: every verb on every resource")


def _every(rule: Any, name: str) -> bool:
    listed = items(rule, name)
    return listed is not UNKNOWN and "*" in listed
