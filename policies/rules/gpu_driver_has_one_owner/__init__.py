"""A node's GPU driver has a single installer, and its GPUs a single device plugin."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="gpu-driver-has-one-owner",
    title="The GPU driver and the device plugin of a node have one owner",
    why="Two drivers conflict and neither loads; two device plugins each allocate the same GPU. The nodes are up "
    "and billed, and no job starts, or two jobs share one GPU.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=130,
    **stack_checks(__name__),
)
