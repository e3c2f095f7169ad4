"""A GPU node pool requests what its machine type provides."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import resource_checks
from gpucluster.policies.rule import Enforcement, ResourceRule, Severity

RULE: Final = ResourceRule(
    name="accelerators-fit-machine",
    title="Accelerators, slices and local SSDs of a node pool match its machine type",
    why="The cloud refuses the node pool in the middle of the update, after the network and the cluster are created "
    "and billed.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=80,
    **resource_checks(__name__),
)
