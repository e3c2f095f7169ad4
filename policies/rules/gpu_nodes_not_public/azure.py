"""Public addresses of AKS nodes with GPUs: none by default (AKS page "Use instance-level public IPs")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.pools import READS as MACHINES
from gpucluster.policies.clouds.azure.pools import machines_of
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import flag

FIX: Final = "Set enable_node_public_ip to false on the node pool."
READS: Final = MACHINES


def check(stack: Stack) -> Iterator[Finding]:
    for pool in machines_of(stack.resources):
        if pool.size is None or not pool.size.computes:
            continue
        public = flag(pool.written.inputs, "enableNodePublicIP")
        if public is True:
            yield Violation(pool.resource, f"{pool.label} with enableNodePublicIP")
        elif public is UNKNOWN:
            yield CannotTell(pool.resource, "whether its nodes have public addresses is not known yet")
