"""A training node has every GPU fabric interface of its machine type."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.frameworks import AWS_PLACEMENT
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="fabric-interfaces-complete",
    title="Nodes of a training pool have every fabric interface of their machine type",
    why="Each missing interface is bandwidth that you pay for but cannot use. Without any, NCCL falls back to TCP.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=30,
    frameworks=(AWS_PLACEMENT,),
    **with_hidden(stack_checks(__name__), template=True),
)
