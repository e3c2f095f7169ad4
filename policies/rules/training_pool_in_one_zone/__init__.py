"""Nodes of one training pool are in one zone."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.frameworks import AWS_PLACEMENT, GKE_PLACEMENT
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="training-pool-in-one-zone",
    title="Nodes of one training pool are in one zone",
    why="The GPU fabric does not leave its zone: nodes in two zones use TCP, or do not reach each other at all, and "
    "traffic between zones is billed.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=20,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT),
    **with_hidden(stack_checks(__name__)),
)
