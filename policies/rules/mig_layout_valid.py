"""A layout of slices that a node asks for is one that its GPU has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.gpus import gpus
from gpucluster.catalog.machines import machines
from gpucluster.catalog.mig import layouts
from gpucluster.policies.clouds.aws.pools import machines_of
from gpucluster.policies.clouds.azure.pools import every_pool
from gpucluster.policies.clouds.kubernetes.charts import gpu_operators
from gpucluster.policies.clouds.kubernetes.pool_labels import MIG
from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import at

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    if any(
        at(operator.values, "migManager", "config", "name") is not None for operator in gpu_operators(stack.resources)
    ):
        return  # layouts of the user's own
    for resource, gpu, layout in _sliced(stack.resources):
        known = layouts(gpu) if gpu else ()
        if gpu is None or layout is None or not known:
            continue
        if layout is UNKNOWN:
            yield CannotTell(resource, f"its label {MIG} is not known yet")
        elif layout not in known:
            yield Violation(resource, f"{MIG} `{layout}`; {gpus()[gpu].name} takes {', '.join(known)}")


def _sliced(resources: Resources) -> Iterator[tuple[Resource, str | None, object]]:
    """(resource, its GPU, the layout it asks for)."""
    for nodes in machines_of(resources):
        machine = machines().get(nodes.machine) if isinstance(nodes.machine, str) else None
        yield nodes.resource, machine.gpu if machine else None, nodes.labels.get(MIG)
    for pool in every_pool(resources):
        yield pool.resource, pool.size.model if pool.size else None, pool.written.labels.get(MIG)


RULE: Final = StackRule(
    name="mig-layout-valid",
    title="A MIG layout named on a node is one its GPU can have",
    why="The MIG manager marks the node as failed and leaves its GPUs whole or gone: it is billed, and no pod that "
    "asks for a slice ever starts.",
    fix=f"Set the node label {MIG} to one of the layouts named; name a ConfigMap of your own in migManager.config of "
    "the GPU Operator for others.",
    reads="aws:eks/nodeGroup:NodeGroup, aws:autoscaling/group:Group, azure-native:containerservice:AgentPool, "
    "azure-native:containerservice:ManagedCluster, kubernetes:helm.sh/v3:Release",
    severity=Severity.HIGH,
    check=check,
)
