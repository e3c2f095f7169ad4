"""Nodes that train together are not taken back one by one."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="training-pool-not-on-spot",
    title="Nodes of a training pool are not spot machines",
    why="The cloud takes a spot machine back at a few minutes' notice at most, and a job over several nodes stops with "
    "the first of them: all the others are paid for while it starts again from its checkpoint.",
    severity=Severity.MEDIUM,
    order=10,
    **with_hidden(stack_checks(__name__), template=True),
)
