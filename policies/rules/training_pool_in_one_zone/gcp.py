"""Nodes of one training pool are in one zone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import NodePool, training_pools
from gpucluster.policies.machines import label_of
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN

FIX: Final = "Set node_locations of each of its node pools to the one zone of its placement policy or reservation."
READS: Final = MACHINES


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _of_pool(pool)


def _of_pool(pool: tuple[NodePool, ...]) -> Iterator[Finding]:
    named: set[str] = set()
    hidden: list[NodePool] = []
    for nodes in pool:
        zones = nodes.zones
        if zones.region is not None:
            gke = nodes.written.gke
            chosen = "GKE chooses: the cluster" if gke else "Compute Engine chooses: the group"
            named_by = "the node pool names" if gke else "it names"
            what = f"{nodes.label} over {zones.count} zones that {chosen} is in region `{zones.region}`"
            yield nodes.finding(f"{what} and {named_by} no zone", FIX)
        elif zones.names is UNKNOWN:
            hidden.append(nodes)
        else:
            named.update(zones.names)
    if len(named) > 1:
        yield pool[0].finding(f"{label_of(pool)} in {len(named)} zones: {', '.join(sorted(named))}")
    elif hidden and (len(pool) > 1 or hidden[0].zones.count != 1):
        yield CannotTell(hidden[0].resource, f"the zones of {label_of(hidden)} are not known yet")
