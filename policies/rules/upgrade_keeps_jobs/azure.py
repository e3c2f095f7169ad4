"""Upgrades of GPU nodes run when nothing trains, and need no additional machine.

Sources: AKS pages "Upgrade AKS node pools" (default surge: 10 %), "Autoupgrade node OS images" (NodeImage
is the default since 2023-06-01; NodeImage and SecurityPatch reimage) and "Automatically upgrade an AKS cluster".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.pools import AgentPool, machines_of, training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import text

FIX: Final = (
    'Set upgrade_settings max_surge "0" and max_unavailable "1" on the training pool, and auto_upgrade_profile '
    'node_os_upgrade_channel "None" and upgrade_channel "none" on the cluster; upgrade between jobs.'
)
READS: Final = "azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster"

_NOTHING: Final = ("0", "0%")
_USUAL_SURGE: Final = "10%"
_USUAL_CHANNEL: Final = "NodeImage"
_REIMAGES: Final = (_USUAL_CHANNEL, "SecurityPatch")
_NO_UPGRADES: Final = "none"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for nodes in pool:
            if nodes.written.aks:
                yield from _surge(nodes)
    with_gpus = [pool for pool in machines_of(stack.resources) if pool.written.aks and pool.with_gpus]
    for cluster in {pool.cluster.urn: pool.cluster for pool in with_gpus if pool.cluster is not None}.values():
        yield from _channels(cluster)
    for pool in with_gpus:
        if pool.cluster is None:
            yield CannotTell(pool.resource, "its cluster is not part of this stack: its upgrade channels are unknown")


def _surge(nodes: AgentPool) -> Iterator[Finding]:
    surge = text(nodes.written.inputs, "upgradeSettings", "maxSurge")
    unavailable = text(nodes.written.inputs, "upgradeSettings", "maxUnavailable")
    if surge is UNKNOWN:
        yield CannotTell(nodes.resource, "whether its upgrades need a spare node is not known yet")
    elif surge not in _NOTHING:
        given = f"maxSurge {surge}" if surge else f"no maxSurge (default: {_USUAL_SURGE})"
        yield nodes.finding(
            f"{nodes.label} with {given}: every upgrade needs one more machine, with quota and capacity"
        )
    elif unavailable is None or unavailable in _NOTHING:
        yield nodes.finding(f"{nodes.label} with neither maxSurge nor maxUnavailable: upgrades cannot start")


def _channels(cluster: Resource) -> Iterator[Finding]:
    of_nodes = text(cluster.inputs, "autoUpgradeProfile", "nodeOSUpgradeChannel")
    of_cluster = text(cluster.inputs, "autoUpgradeProfile", "upgradeChannel")
    if of_nodes is UNKNOWN or of_cluster is UNKNOWN:
        yield CannotTell(cluster, "whether its GPU nodes are upgraded automatically is not known yet")
    problems: list[str] = []
    if of_nodes is None:
        problems.append(f"nodeOSUpgradeChannel is not set (default: {_USUAL_CHANNEL}): GPU nodes are reimaged")
    elif of_nodes in _REIMAGES:
        problems.append(f"nodeOSUpgradeChannel {of_nodes}: GPU nodes are reimaged")
    if isinstance(of_cluster, str) and of_cluster != _NO_UPGRADES:
        problems.append(f"upgradeChannel {of_cluster}: GPU nodes are upgraded")
    if problems:
        yield Violation(cluster, f"{'; '.join(problems)} while jobs run")
