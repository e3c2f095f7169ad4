"""A GPU node pool is bought in a way its machine type is sold."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Enforcement, ResourceRule, Severity
from gpucluster.program.resources import Resource

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Resource, __name__)

RULE: Final = ResourceRule(
    name="purchase-fits-machine",
    title="The machine type of a GPU node pool is available under its purchase option",
    why="The cloud refuses the node pool, or keeps it waiting for capacity that is never sold that way, while the rest "
    "of the cluster is billed.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=90,
    check=_JUDGED.check,
)
