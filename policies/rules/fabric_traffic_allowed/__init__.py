"""Fabric traffic is allowed between the nodes of a training pool."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="fabric-traffic-allowed",
    title="Nodes of a training pool allow fabric traffic among themselves",
    why="Without it the nodes start and are billed, other TCP traffic works, and NCCL hangs in its first all-reduce.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=50,
    **with_hidden(stack_checks(__name__), template=True),
)
