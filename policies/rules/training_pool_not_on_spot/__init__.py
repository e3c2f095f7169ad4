"""Nodes that train together are not reclaimed one by one."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="training-pool-not-on-spot",
    title="Nodes of a training pool are not spot machines",
    why="The cloud reclaims a spot machine with a few minutes' notice at most, and a multi-node job stops with the "
    "first of them: all other nodes are billed while it restarts from its checkpoint.",
    severity=Severity.MEDIUM,
    order=10,
    **with_hidden(stack_checks(__name__), template=True),
)
