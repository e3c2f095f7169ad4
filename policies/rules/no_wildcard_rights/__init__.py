"""No identity has every permission on everything."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="no-wildcard-rights",
    title="No identity has all rights on all resources, and no role is open to everyone",
    why="A compromised node or controller can then start GPU machines in the whole account, read every bucket, and "
    "disable its audit logs.",
    severity=Severity.HIGH,
    order=150,
    **stack_checks(__name__),
)
