"""The machine type of a GPU node pool is sold by the pool's purchase option."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import resource_checks
from gpucluster.policies.rule import Enforcement, ResourceRule, Severity

RULE: Final = ResourceRule(
    name="purchase-fits-machine",
    title="The machine type of a GPU node pool is available under its purchase option",
    why="The cloud refuses the node pool, or keeps it waiting for capacity that is never sold that way, while the rest "
    "of the cluster is billed.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=90,
    **resource_checks(__name__),
)
