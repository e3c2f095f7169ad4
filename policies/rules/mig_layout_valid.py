"""A node's GPU supports the requested layout of slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.machines import gpus
from gpucluster.core.catalog.mig import layouts
from gpucluster.core.program.resources import UNKNOWN, Resources
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.aws.pools import READS as ON_AWS
from gpucluster.policies.clouds.aws.pools import machines_of as aws_machines
from gpucluster.policies.clouds.azure.pools import READS as ON_AZURE
from gpucluster.policies.clouds.azure.pools import machines_of as azure_machines
from gpucluster.policies.clouds.kubernetes.charts import gpu_operators
from gpucluster.policies.clouds.kubernetes.pool_labels import MIG
from gpucluster.policies.clouds.pools import Machines
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation


def check(stack: Stack) -> Iterator[Finding]:
    if any(
        at(operator.values, "migManager", "config", "name") is not None for operator in gpu_operators(stack.resources)
    ):
        return  # user-defined layouts
    for nodes, gpu in _found(stack.resources):
        layout = UNKNOWN if nodes.own_labels is UNKNOWN else nodes.own_labels.get(MIG)
        known = layouts(gpu) if gpu else ()
        if isinstance(layout, str) and nodes.hidden is not None:
            yield CannotTell(nodes.resource, nodes.hidden)
        elif layout is UNKNOWN and known:
            yield CannotTell(nodes.resource, f"its label {MIG} is not known yet")
        elif gpu is not None and known and layout is not None and layout not in known:
            yield Violation(nodes.resource, f"{MIG} `{layout}`; allowed for {gpus()[gpu].name}: {', '.join(known)}")


def _found(resources: Resources) -> Iterator[tuple[Machines, str | None]]:
    """(resource that starts nodes, their GPU)."""
    for nodes in aws_machines(resources):
        yield nodes, nodes.known.gpu if nodes.known else None
    for pool in azure_machines(resources):
        yield pool, pool.size.model if pool.size else None


RULE: Final = StackRule(
    name="mig-layout-valid",
    title="The GPU of a node supports its MIG layout",
    why="The MIG manager marks the node as failed, with its GPUs whole or missing: it is billed, and no pod that "
    "requests a slice ever starts.",
    fix=f"Set the node label {MIG} to one of the listed layouts; for others, set migManager.config of the GPU Operator "
    "to your own ConfigMap.",
    reads=f"{ON_AWS}, {ON_AZURE}, kubernetes:helm.sh/v3:Release",
    severity=Severity.HIGH,
    order=30,
    check=check,
)
