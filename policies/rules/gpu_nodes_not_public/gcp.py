"""Public addresses of GKE nodes with GPUs.

Source: GKE page "Customize your network isolation": nodes have external addresses unless the node pool, or else its
cluster, has private nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import NodePool, machines_of
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Unknown
from gpucluster.program.values import flag

FIX: Final = "Set enable_private_nodes in network_config of the node pool, and add a Cloud NAT for downloads."
READS: Final = MACHINES


def check(stack: Stack) -> Iterator[Finding]:
    for pool in machines_of(stack.resources):
        if not pool.written.with_gpus:
            continue
        private = _private(pool)
        if private is UNKNOWN:
            yield CannotTell(pool.resource, "whether its nodes have public addresses is not known yet")
        elif private is None:
            yield CannotTell(
                pool.resource, "its cluster is not part of this stack: whether its nodes are private is unknown"
            )
        elif not private:
            yield Violation(pool.resource, f"{pool.label} without private nodes: each has a public address")


def _private(pool: NodePool) -> bool | Unknown | None:
    """None if it depends on a cluster outside this stack."""
    own = flag(pool.written.inputs, "networkConfig", "enablePrivateNodes")
    if own is not None:
        return own
    if pool.cluster is None:
        return None
    ways = (("privateClusterConfig", "enablePrivateNodes"), ("networkConfig", "defaultEnablePrivateNodes"))
    of_cluster = [flag(pool.cluster.inputs, *way) for way in ways]
    return True if True in of_cluster else UNKNOWN if UNKNOWN in of_cluster else False
