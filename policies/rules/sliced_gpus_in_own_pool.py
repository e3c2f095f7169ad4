"""Sliced GPUs are not used for training that needs more than a slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.policies.clouds.kubernetes.pool_labels import (
    elastic_labels,
    elastic_pools,
    for_training,
    perhaps_for_training,
    sliced_by_label,
)
from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation


def check(stack: Stack) -> Iterator[Finding]:
    for cloud in cloud_pools().values():
        for machines in cloud.machines_of(stack.resources):
            if machines.own_labels is not UNKNOWN:
                yield from _of(machines.resource, machines.name, machines.own_labels, sliced=machines.sliced)
            elif machines.with_gpus:
                yield CannotTell(machines.resource, "the labels of its nodes are not known yet")
    for pool in elastic_pools(stack.resources):
        labels = elastic_labels(pool)
        if labels is UNKNOWN:
            yield CannotTell(pool, "the labels of its nodes are not known yet")
        else:
            yield from _of(pool, pool.name, labels, sliced=sliced_by_label(labels))


def _of(resource: Resource, name: str, labels: Mapping[str, Any], *, sliced: bool) -> Iterator[Finding]:
    if sliced and perhaps_for_training(labels):
        yield CannotTell(resource, "whether its nodes are labelled for training is not known yet")
    elif sliced and for_training(labels):
        yield Violation(resource, f"GPUs of `{name}` are sliced, and its nodes are labelled for training")


RULE: Final = StackRule(
    name="sliced-gpus-in-own-pool",
    title="Sliced GPUs (MIG) are in their own pool, never in the training pool",
    why="A slice has no NVLink and no GPU fabric: a multi-node job scheduled there fails or crawls, on machines whose "
    "price includes the fabric.",
    fix="Give the sliced nodes a pool with the label gpucluster/pool: mig, and the training pool whole GPUs.",
    reads=", ".join((*(cloud.READS for cloud in cloud_pools().values()), "kubernetes:karpenter.sh/v1:NodePool")),
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=120,
    check=check,
)
