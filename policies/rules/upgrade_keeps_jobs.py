"""No upgrade of GPU nodes starts automatically, and none needs additional nodes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import all_items, flag, text, whole
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation


def _aws(stack: Stack) -> Iterator[Finding]:
    """Updates of EKS node groups need no additional machine, and force-delete no pod. EKS starts none automatically.

    Source: EKS API, NodegroupUpdateConfig: the default strategy starts new machines first, MINIMAL ends old ones first.
    """
    for machines in chain.from_iterable(aws.training_pools(stack.resources)):
        if machines.resource.type != aws.NODE_GROUP:
            continue
        strategy = text(machines.resource.inputs, "updateConfig", "updateStrategy")
        if strategy is UNKNOWN:
            yield CannotTell(machines.resource, "whether its updates need spare nodes is not known yet")
        elif strategy != "MINIMAL":
            given = f"updateStrategy {strategy}" if strategy else "no updateStrategy (default: DEFAULT)"
            yield machines.finding(f"{machines.label} with {given}: an update starts additional machines first")
        if flag(machines.resource.inputs, "forceUpdateVersion") is True:
            yield machines.finding(
                f"{machines.label} with forceUpdateVersion: an update ends pods despite disruption budgets"
            )


_KEEPS: Final = ("NO_MINOR_OR_NODE_UPGRADES", "NO_UPGRADES")


def _gcp(stack: Stack) -> Iterator[Finding]:
    """Upgrades of GKE nodes run when nothing trains, and need no additional machine.

    Sources: GKE pages "Node upgrade strategies" (default: SURGE with maxSurge 1; BLUE_GREEN doubles the pool) and
    "Maintenance windows and exclusions" (scope NO_MINOR_OR_NODE_UPGRADES keeps nodes; NO_UPGRADES everything).
    """
    for nodes in chain.from_iterable(gcp.training_pools(stack.resources)):
        # Flex-start machines end within days; nothing upgrades machines of an instance group.
        if nodes.declared.managed and not nodes.declared.flexible:
            yield from _gke_pool(nodes)


def _gke_pool(nodes: gcp.NodePool) -> Iterator[Finding]:
    strategy = text(nodes.declared.inputs, "upgradeSettings", "strategy")
    surge = whole(nodes.declared.inputs, "upgradeSettings", "maxSurge")
    if strategy is UNKNOWN or (strategy != "BLUE_GREEN" and surge is UNKNOWN):
        yield CannotTell(nodes.resource, "whether its upgrades need spare nodes is not known yet")
    elif strategy == "BLUE_GREEN":
        yield nodes.finding(f"{nodes.label} with strategy BLUE_GREEN: every upgrade needs twice the machines")
    elif surge != 0:
        given = f"maxSurge {surge}" if isinstance(surge, int) else "no maxSurge (default: 1)"
        yield nodes.finding(f"{nodes.label} with {given}: every upgrade needs one more machine, with capacity")
    by_itself = flag(nodes.declared.inputs, "management", "autoUpgrade")
    if by_itself is not False:
        kept = None if nodes.cluster is None else _excluded(nodes.cluster)
        if kept is None:
            yield CannotTell(nodes.resource, "whether it is upgraded automatically is unknown")
        elif not kept:
            yield nodes.finding(f"{nodes.label}, upgraded automatically while jobs run")


def _excluded(cluster: Resource) -> bool | None:
    """Whether an exclusion keeps nodes unchanged; None while unknown."""
    exclusions = all_items(cluster.inputs, "maintenancePolicy", "maintenanceExclusions")
    scopes = [text(exclusion, "exclusionOptions", "scope") for exclusion in exclusions]
    if any(scope in _KEEPS for scope in scopes):
        return True
    return None if UNKNOWN in scopes else False


_NOTHING: Final = ("0", "0%")
_USUAL_SURGE: Final = "10%"
_USUAL_CHANNEL: Final = "NodeImage"
_REIMAGES: Final = (_USUAL_CHANNEL, "SecurityPatch")
_NO_UPGRADES: Final = "none"


def _azure(stack: Stack) -> Iterator[Finding]:
    """Upgrades of GPU nodes run when nothing trains, and need no additional machine.

    Sources: AKS pages "Upgrade AKS node pools" (default surge: 10 %), "Autoupgrade node OS images" (NodeImage
    is the default since 2023-06-01; NodeImage and SecurityPatch reimage) and "Automatically upgrade an AKS cluster".
    """
    for nodes in chain.from_iterable(azure.training_pools(stack.resources)):
        if nodes.declared.managed:
            yield from _surge(nodes)
    with_gpus = [pool for pool in azure.machines_of(stack.resources) if pool.declared.managed and pool.with_gpus]
    for cluster in {pool.cluster.urn: pool.cluster for pool in with_gpus if pool.cluster is not None}.values():
        yield from _channels(cluster)
    for pool in with_gpus:
        if pool.cluster is None:
            yield CannotTell(pool.resource, "its cluster is not part of this stack: its upgrade channels are unknown")


def _surge(nodes: azure.AgentPool) -> Iterator[Finding]:
    surge = text(nodes.declared.inputs, "upgradeSettings", "maxSurge")
    unavailable = text(nodes.declared.inputs, "upgradeSettings", "maxUnavailable")
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


RULE: Final = StackRule(
    name="upgrade-keeps-jobs",
    title="No upgrade of GPU nodes starts automatically, and none needs a spare GPU node",
    why="One reimaged node ends the job on all nodes, and may come back with a kernel that its drivers do not "
    "support. A surge GPU node exceeds the quota and is rarely available. An upgrade in a plan ends jobs under every "
    "strategy: replacement-of-training-pool stops it.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=100,
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=aws.NODE_GROUP,
            fix="Set updateConfig.updateStrategy to MINIMAL with maxUnavailable 1, and do not set forceUpdateVersion. "
            "MINIMAL ends an old node, and the jobs on it, before its successor starts: update between jobs.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads="gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster",
            fix="Set upgrade_settings max_surge 0 and max_unavailable 1 on the training pool, and a maintenance "
            "exclusion of scope NO_MINOR_OR_NODE_UPGRADES on the cluster, until the end of support; upgrade between "
            "jobs.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads="azure-native:containerservice:AgentPool, azure-native:containerservice:ManagedCluster",
            fix='Set upgrade_settings max_surge "0" and max_unavailable "1" on the training pool, and '
            'auto_upgrade_profile node_os_upgrade_channel "None" and upgrade_channel "none" on the cluster; upgrade '
            "between jobs.",
        ),
    ),
)
