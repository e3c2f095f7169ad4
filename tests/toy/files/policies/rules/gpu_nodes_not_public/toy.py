"""Nodes with an address of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.rule import Finding, Stack, Violation
from gpucluster.program.values import flag

__all__ = ["FIX", "READS", "check"]

FIX: Final = "Leave out public."
READS: Final = "toy:compute/nodePool:NodePool"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in stack.resources.of_type(READS):
        if flag(pool.inputs, "public") is True:
            yield Violation(pool, "its nodes have public addresses")
