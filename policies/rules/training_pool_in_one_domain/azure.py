"""Nodes of one training pool share one InfiniBand fabric: that of one virtual machine scale set.

A proximity placement group is not a fabric: it keeps machines in one data centre without any effect on InfiniBand.
Sources: Azure page "Set up InfiniBand on HPC VMs", for the scale set and its maximum size; AKS release notes of
2022-04, for one scale set per node pool that AKS keeps in a single placement group.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.azure.karpenter import KarpenterPool, karpenter_pools
from gpucluster.policies.clouds.azure.pools import READS as MACHINES
from gpucluster.policies.clouds.azure.pools import AgentPool, fabric_pools, training_pools
from gpucluster.policies.clouds.azure.written import SCALE_SETS
from gpucluster.policies.clouds.kubernetes.pool_labels import SINGLE_NODE, for_single_nodes
from gpucluster.policies.machines import label_of
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.program.stated import stated
from gpucluster.program.values import whole

_LIMIT: Final = "scaleSetLimit"
_USUAL_LIMIT: Final = 100
_RAISED_LIMIT: Final = 300

FIX: Final = (
    f"Use one AgentPool of type {SCALE_SETS} with a size that has InfiniBand (an r in its name, such as "
    f'Standard_ND96isr_H100_v5); give nodes for single-node jobs the label {SINGLE_NODE}: "true".'
)
READS: Final = f"{MACHINES}, kubernetes:karpenter.sh/v1:NodePool, the fact {_LIMIT}"
CONFIG: Final = {
    _LIMIT: {
        "type": "integer",
        "description": "Azure: limit of virtual machines in one scale set with InfiniBand, in this subscription",
        "minimum": _USUAL_LIMIT,
        "maximum": _RAISED_LIMIT,
    }
}


def check(stack: Stack) -> Iterator[Finding]:
    for nodes in fabric_pools(stack.resources):
        if nodes.infiniband:
            yield from _scale_set(nodes)
    for pool in training_pools(stack.resources):
        yield from _of_pool(pool, stack)
    for karpenter in karpenter_pools(stack.resources):
        yield from _outside(karpenter)


def _scale_set(nodes: AgentPool) -> Iterator[Finding]:
    """Also for a single node: the pool may grow, and its size includes the cost of InfiniBand."""
    kind = nodes.written.kind
    if kind is UNKNOWN or kind is None:
        said = "is not known yet" if kind is UNKNOWN else "is not given"
        of = "the type of the node pool" if nodes.written.aks else "the orchestration mode of the scale set"
        yield CannotTell(nodes.resource, f"{nodes.label}: {of} {said}")
    elif kind != SCALE_SETS and not nodes.written.aks:
        yield nodes.finding(
            f"{nodes.label} in a scale set of {kind}, which has no InfiniBand",
            fix="Set orchestrationMode to Uniform and singlePlacementGroup to true.",
        )
    elif kind != SCALE_SETS:
        yield nodes.finding(f"{nodes.label} of type {kind}, which is not a scale set and has no InfiniBand domain")


def _of_pool(pool: tuple[AgentPool, ...], stack: Stack) -> Iterator[Finding]:
    first = pool[0]
    if not isinstance(first.machine, str):
        yield CannotTell(first.resource, "whether its VM size has InfiniBand is not known yet")
    elif not first.infiniband:
        yield first.finding(f"{label_of(pool)}, which has no InfiniBand (no r in its name)")
    else:
        if len(pool) > 1:
            yield first.finding(
                f"{label_of(pool)} in {len(pool)} node pools: each is a scale set with its own InfiniBand domain",
                fix="Use one node pool for all nodes, spares included, or give each its own gpucluster/pool label if "
                "no job spans them.",
            )
        for nodes in pool:
            yield from _holds(nodes, _limit(nodes.resource, stack))


def _holds(nodes: AgentPool, limit: int | Unknown) -> Iterator[Finding]:
    if limit is UNKNOWN:
        yield CannotTell(nodes.resource, f"{_LIMIT} is not known yet")
    elif isinstance(nodes.nodes, int) and nodes.nodes > limit:
        raised = f"; support raises {_USUAL_LIMIT} to {_RAISED_LIMIT}" if limit < _RAISED_LIMIT else ""
        yield nodes.finding(
            f"{nodes.label} in one scale set, which holds at most {limit} with InfiniBand{raised}",
            fix=f"Use fewer nodes; once support has raised the limit, set it as fact or setting {_LIMIT}.",
        )


def _limit(resource: Resource, stack: Stack) -> int | Unknown:
    """The pack's setting, else the nearest component's, else the limit of every subscription."""
    limit = whole(stack.config, _LIMIT)
    by_urn = {each.component.urn: each.facts.scale_set_limit for each in stated(stack.resources)}
    for parent in stack.resources.parents(resource):
        limit = by_urn.get(parent.urn) if limit is None else limit
    return limit if limit is UNKNOWN else min(limit or _USUAL_LIMIT, _RAISED_LIMIT)


def _outside(pool: KarpenterPool) -> Iterator[Finding]:
    """Karpenter starts single machines on Azure: never on the InfiniBand of a scale set."""
    labels, limits, admitted = pool.labels, pool.limits, pool.on_infiniband()
    fabric = [] if limits is UNKNOWN else [name for name in limits if name.startswith("rdma/")]
    if fabric:
        yield Violation(
            pool.resource,
            f"a limit on {', '.join(fabric)}, which no Karpenter machine on Azure has",
            fix="Remove it; InfiniBand needs an AgentPool.",
        )
    if admitted == [] or (labels is not UNKNOWN and for_single_nodes(labels)):
        return
    if admitted is UNKNOWN or labels is UNKNOWN:
        yield CannotTell(pool.resource, "whether it allows sizes with InfiniBand for multi-node jobs is not known yet")
    else:
        yield Violation(
            pool.resource,
            f"it allows {', '.join(admitted)}: Karpenter starts single machines outside of scale sets, which share no "
            "InfiniBand",
            fix="Set karpenter.azure.com/sku-name to sizes without r, and use an AgentPool for multi-node jobs; or "
            f'give its nodes the label {SINGLE_NODE}: "true".',
        )
