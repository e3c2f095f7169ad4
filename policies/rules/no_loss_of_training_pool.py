"""No plan ends a training pool by the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gpucluster.core.catalog.resource_types import NODE_POOL, holdings
from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.program.values import at, whole
from gpucluster.policies.clouds.holdings import types
from gpucluster.policies.clouds.node_impacts import Impact, job_pools, with_cost
from gpucluster.policies.clouds.opaque_pools import opaque_pools
from gpucluster.policies.clouds.pools import Machines, cloud_pools
from gpucluster.policies.engine.rule import (
    Accepted,
    CannotTell,
    ChangeRule,
    Changes,
    Enforcement,
    Finding,
    Severity,
    Violation,
)


def check(changes: Changes) -> Iterator[Finding]:
    pools = job_pools(changes.before)
    for pool in sorted(pools.values(), key=lambda one: one.name):
        ends = _end(pool, changes)
        if isinstance(ends, CannotTell):
            yield ends
        elif ends:
            yield _finding(_running(pool), ends, changes)
    for machines, why in opaque_pools(changes.before):
        if machines.resource.urn not in pools and _end(machines, changes):
            yield CannotTell(machines.resource, why)


def _end(pool: Machines, changes: Changes) -> str | CannotTell:
    """How its last node goes; empty if it keeps one, has none, is left in the cloud, or gets another pool instead."""
    resource = pool.resource
    before = _nodes(resource)
    ended = next((one for one in changes.ended if one.urn == resource.urn), None)
    new = changes.after.get(resource.urn)
    if before == 0:
        return ""
    if ended is not None:
        gone = ended.how == "deleted" and not ended.retained and changes.made(resource.type) is None
        return "deleted" if gone else ""
    if new is None:
        return ""
    after = _nodes(new)
    if after is UNKNOWN and before is not UNKNOWN:
        return CannotTell(new, f"whether {pool.label} stay: `{'.'.join(_size(new))}` is not known yet")
    if after == 0:
        return f"scaled to 0 by `{'.'.join(_size(new))}`"
    return "" if _named(pool) in _standing(changes) else "scaled to 0"


def _size(resource: Resource) -> tuple[str, ...]:
    """Path of the number of nodes, of types that have one."""
    holding = holdings().get(resource.type)
    return holding.size if holding is not None else ()


def _nodes(resource: Resource) -> int | Unknown | None:
    size = _size(resource)
    return whole(resource.inputs, *size) if size else None


def _running(pool: Machines) -> Machines:
    """The pool with its nodes of now, where it says how many: others have their most."""
    nodes = _nodes(pool.resource)
    per_zone = pool.resource.type in _PER_ZONE
    return pool if per_zone or not isinstance(nodes, int) else replace(pool, nodes=nodes)


_PER_ZONE: Final = ("gcp:container/nodePool:NodePool",)


def _standing(changes: Changes) -> frozenset[tuple[str, str]]:
    return frozenset(_named(one) for cloud in cloud_pools().values() for one in cloud.machines_of(changes.after))


def _named(pool: Machines) -> tuple[str, str]:
    """Its identity: one cluster may declare several pools."""
    return pool.resource.urn, pool.name


def _finding(pool: Machines, ends: str, changes: Changes) -> Finding:
    gone = pool.nodes if isinstance(pool.nodes, int) else 0
    if at(pool.resource.inputs, "capacityType") == _BLOCK:
        return CannotTell(pool.resource, f"{pool.label} {_are(pool)} {ends}; their capacity block may have ended")
    (cost,) = with_cost([Impact(pool=pool, effect="loss", because=(ends,), gone=gone)], changes)
    what = (
        f"{pool.label} {_are(pool)} {ends}; jobs on them end; at stake for each hour since the "
        f"last checkpoint: {cost.at_stake}"
    )
    paused = {each.component.urn for each in read_registered_facts(changes.after) if each.facts.paused}
    around = next((parent for parent in changes.before.parents(pool.resource) if parent.urn in paused), None)
    if around is not None:
        return Accepted(pool.resource, what, f"`{around.name}` is paused")
    return Violation(pool.resource, what)


def _are(pool: Machines) -> str:
    return "is" if pool.nodes == 1 else "are"


_BLOCK: Final = "CAPACITY_BLOCK"
"""EKS user guide, "Managed node groups with Capacity Blocks": EKS ends the nodes before the block ends."""


RULE: Final = ChangeRule(
    name="no-loss-of-training-pool",
    title="No plan deletes a training or MIG pool or scales it to 0, unless the cluster is paused",
    why="Every job on the pool ends and loses its work since the last checkpoint. The released machines go to other "
    "customers, and on-demand capacity for a new pool is not guaranteed.",
    fix="Revert the change. To save the cost of idle nodes: `gpucluster pause`, or `paused: true` in the stack's "
    "configuration. To end the pool on purpose: end the jobs, and accept it by an exemption with an end date.",
    reads=f"training and MIG pools that a plan deletes or scales to 0, of types {types(NODE_POOL)}; the fact paused",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=215,
    check=check,
)
