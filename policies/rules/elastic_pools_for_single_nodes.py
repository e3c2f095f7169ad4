"""Nodes that are autoscaled one by one are not assigned to multi-node jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at, text
from gpucluster.policies.clouds.kubernetes.pool_labels import (
    ELASTIC_TYPES,
    FLAVOR,
    elastic_labels,
    elastic_pools,
    for_training,
    perhaps_for_training,
)
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation

_TYPES: Final = ", ".join(ELASTIC_TYPES)


def check(stack: Stack) -> Iterator[Finding]:
    pools = list(elastic_pools(stack.resources))
    for pool in pools:
        labels = elastic_labels(pool)
        if labels is UNKNOWN:
            yield CannotTell(pool, "the labels of its nodes are not known yet")
        elif perhaps_for_training(labels):
            yield CannotTell(pool, "whether its nodes are labelled for training is not known yet")
        elif for_training(labels):
            yield Violation(pool, "its nodes are labelled for training, where a job spans several nodes")
    for flavor in _flavors(stack.resources):
        yield from _promised(flavor, pools)


def _flavors(resources: Resources) -> Iterator[Resource]:
    """Kueue's flavors of nodes in a topology, which are for multi-node jobs."""
    for resource in resources:
        topology = text(resource.inputs, "spec", "topologyName") if FLAVOR.fullmatch(resource.type) else None
        if topology is not None:
            yield resource


def _promised(flavor: Resource, pools: list[Resource]) -> Iterator[Finding]:
    wanted = labels_at(at(flavor.inputs, "spec", "nodeLabels"))
    if wanted is UNKNOWN or not wanted:
        return
    for pool in pools:
        labels = elastic_labels(pool)
        if labels is not UNKNOWN and all(labels.get(key) == value for key, value in wanted.items()):
            yield Violation(flavor, f"a topology over the nodes of `{pool.name}`, which are autoscaled one by one")


RULE: Final = StackRule(
    name="elastic-pools-for-single-nodes",
    title="Multi-node jobs do not run on nodes that are autoscaled one by one",
    why="Each node starts wherever capacity is free: half of a job waits, billed, for the other half, and the nodes "
    "that finally run share no fabric.",
    fix="Remove the label gpucluster/pool: training and the topology from them; give multi-node jobs a pool of a "
    "fixed size.",
    reads=f"{_TYPES}, kubernetes:kueue.x-k8s.io/v1beta1:ResourceFlavor",
    spec="elastic.pools",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=110,
    check=check,
)
