"""GPUs that are sliced train nothing that needs more than a slice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.elastic import elastic_labels, elastic_pools
from gpucluster.policies.clouds.kubernetes.pool_labels import for_training, sliced_by_label
from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.policies.machines import Labelled
from gpucluster.policies.rule import Finding, Severity, Stack, StackRule, Violation
from gpucluster.program.resources import UNKNOWN, Resources

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for resource, name, labels, sliced in _pools(stack.resources):
        if sliced and for_training(labels):
            yield Violation(resource, f"GPUs of `{name}` are sliced, and its nodes are labelled for training")


def _pools(resources: Resources) -> Iterator[Labelled]:
    """Whatever starts nodes."""
    for cloud in cloud_pools():
        yield from cloud.labelled(resources)
    for pool in elastic_pools(resources):
        labels = elastic_labels(pool)
        if labels is not UNKNOWN:
            yield Labelled(pool, pool.name, labels, sliced_by_label(labels))


RULE: Final = StackRule(
    name="sliced-gpus-in-own-pool",
    title="Sliced GPUs (MIG) are in a pool of their own, never in the training pool",
    why="A slice has no NVLink and no GPU fabric: a job over several nodes that lands there fails or crawls, on "
    "machines whose price is the fabric.",
    fix="Give the sliced nodes a pool with gpucluster/pool: mig, and the training pool whole GPUs.",
    reads=", ".join((*(cloud.READS for cloud in cloud_pools()), "kubernetes:karpenter.sh/v1:NodePool")),
    severity=Severity.HIGH,
    check=check,
)
