"""Nodes of the toy have no public address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.values import flag
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import Finding, Severity, Stack, StackRule, Violation

__all__ = ["RULE"]

_POOL: Final = "toy:compute/nodePool:NodePool"


def _toy(stack: Stack) -> Iterator[Finding]:
    for pool in stack.resources.of_type(_POOL):
        if flag(pool.inputs, "public") is True:
            yield Violation(pool, "its nodes have public addresses")


RULE: Final = StackRule(
    name="toy-nodes-not-public",
    title="Nodes of the toy have no public address",
    why="Anyone could play with them.",
    severity=Severity.LOW,
    **per_cloud(toy=CloudCheck(check=_toy, reads=_POOL, fix="Leave out public.")),
)
