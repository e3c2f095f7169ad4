"""Nodes that train together are not reclaimed one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import flag

FIX: Final = (
    "Use a reservation, flex-start (flex_start with max_run_duration) or on-demand capacity; use spot only for pools "
    "of independent jobs."
)
READS: Final = MACHINES


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for nodes in pool:
            on_spot = [flag(nodes.written.inputs, "nodeConfig", name) for name in ("spot", "preemptible")]
            if True in on_spot:
                yield nodes.finding(f"{nodes.label} on spot capacity")
            elif UNKNOWN in on_spot:
                yield CannotTell(nodes.resource, "whether it uses spot capacity is not known yet")
