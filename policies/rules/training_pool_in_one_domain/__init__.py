"""Nodes of one training pool are co-located."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.frameworks import AWS_PLACEMENT, AZURE_INFINIBAND, GKE_PLACEMENT
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="training-pool-in-one-domain",
    title="Nodes of one training pool share a co-location domain",
    why="Nodes in different parts of the data centre lose the fabric's bandwidth: every all-reduce waits, and with "
    "it every GPU you pay for.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=10,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT, AZURE_INFINIBAND),
    **with_hidden(stack_checks(__name__), template=True),
)
