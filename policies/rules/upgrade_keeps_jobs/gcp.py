"""Upgrades of GKE nodes run when nothing trains, and need no additional machine.

Sources: GKE pages "Node upgrade strategies" (default: SURGE with maxSurge 1; BLUE_GREEN doubles the pool) and
"Maintenance windows and exclusions" (scope NO_MINOR_OR_NODE_UPGRADES keeps nodes; NO_UPGRADES everything).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.pools import NodePool, training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import flag, items, text, whole

FIX: Final = (
    "Set upgrade_settings max_surge 0 and max_unavailable 1 on the training pool, and a maintenance exclusion of scope "
    "NO_MINOR_OR_NODE_UPGRADES on the cluster, until the end of support; upgrade between jobs."
)
READS: Final = "gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster"

_KEEPS: Final = ("NO_MINOR_OR_NODE_UPGRADES", "NO_UPGRADES")


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for nodes in pool:
            # Flex-start machines end within days; nothing upgrades machines of an instance group.
            if nodes.written.gke and not nodes.written.flexible:
                yield from _of(nodes)


def _of(nodes: NodePool) -> Iterator[Finding]:
    strategy = text(nodes.written.inputs, "upgradeSettings", "strategy")
    surge = whole(nodes.written.inputs, "upgradeSettings", "maxSurge")
    if strategy is UNKNOWN or (strategy != "BLUE_GREEN" and surge is UNKNOWN):
        yield CannotTell(nodes.resource, "whether its upgrades need spare nodes is not known yet")
    elif strategy == "BLUE_GREEN":
        yield nodes.finding(f"{nodes.label} with strategy BLUE_GREEN: every upgrade needs twice the machines")
    elif surge != 0:
        given = f"maxSurge {surge}" if isinstance(surge, int) else "no maxSurge (default: 1)"
        yield nodes.finding(f"{nodes.label} with {given}: every upgrade needs one more machine, with capacity")
    by_itself = flag(nodes.written.inputs, "management", "autoUpgrade")
    if by_itself is not False:
        kept = None if nodes.cluster is None else _kept(nodes.cluster)
        if kept is None:
            yield CannotTell(nodes.resource, "whether it is upgraded automatically is unknown")
        elif not kept:
            yield nodes.finding(f"{nodes.label}, upgraded automatically while jobs run")


def _kept(cluster: Resource) -> bool | None:
    """Whether an exclusion keeps nodes unchanged; None while unknown."""
    listed = items(cluster.inputs, "maintenancePolicy", "maintenanceExclusions")
    scopes = [UNKNOWN] if listed is UNKNOWN else [text(entry, "exclusionOptions", "scope") for entry in listed]
    if any(scope in _KEEPS for scope in scopes):
        return True
    return None if UNKNOWN in scopes else False
