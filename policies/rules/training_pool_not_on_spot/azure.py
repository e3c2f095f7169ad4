"""Nodes that train together are not reclaimed one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.pools import READS as MACHINES
from gpucluster.policies.clouds.azure.pools import training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import text

FIX: Final = "Keep scale_set_priority Regular, or use a capacity reservation; use Spot only for independent jobs."
READS: Final = MACHINES


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for nodes in pool:
            priority = text(nodes.written.inputs, "scaleSetPriority")
            if priority == "Spot":
                yield nodes.finding(f"{nodes.label} on spot capacity")
            elif priority is UNKNOWN:
                yield CannotTell(nodes.resource, "whether it uses spot capacity is not known yet")
