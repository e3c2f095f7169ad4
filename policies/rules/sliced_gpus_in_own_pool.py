"""GPUs that are sliced train nothing that needs more than a slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.policies.clouds.aws.training_pools import machines_of
from gpucluster.policies.clouds.azure.agent_pools import every_pool as azure_pools
from gpucluster.policies.clouds.gcp.node_pools import every_pool as google_pools
from gpucluster.policies.clouds.kubernetes.elastic import elastic_labels, elastic_pools
from gpucluster.policies.clouds.kubernetes.pool_labels import for_training, sliced_by_label
from gpucluster.policies.rule import Finding, Severity, Stack, StackRule, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Resources

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for resource, name, labels, sliced in _pools(stack.resources):
        if sliced and for_training(labels):
            yield Violation(resource, f"GPUs of `{name}` are sliced, and its nodes are labelled for training")


def _pools(resources: Resources) -> Iterator[tuple[Resource, str, Mapping[str, Any], bool]]:
    """(resource, name, labels of its nodes, whether their GPUs are sliced) of whatever starts nodes."""
    for machines in machines_of(resources):
        yield machines.resource, machines.name, machines.labels, sliced_by_label(machines.labels)
    for google in google_pools(resources):
        yield google.resource, google.name, google.labels, google.sliced or sliced_by_label(google.labels)
    for azure in azure_pools(resources):
        yield azure.resource, azure.name, azure.written.labels, azure.written.sliced
    for pool in elastic_pools(resources):
        labels = elastic_labels(pool)
        if labels is not UNKNOWN:
            yield pool, pool.name, labels, sliced_by_label(labels)


RULE: Final = StackRule(
    name="sliced-gpus-in-own-pool",
    title="Sliced GPUs (MIG) are in a pool of their own, never in the training pool",
    why="A slice has no NVLink and no GPU fabric: a job over several nodes that lands there fails or crawls, on "
    "machines whose price is the fabric.",
    fix="Give the sliced nodes a pool with gpucluster/pool: mig, and the training pool whole GPUs.",
    reads="aws:eks/nodeGroup:NodeGroup, gcp:container/nodePool:NodePool, "
    "azure-native:containerservice:AgentPool, kubernetes:karpenter.sh/v1:NodePool",
    severity=Severity.HIGH,
    check=check,
)
