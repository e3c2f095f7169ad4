"""A GPU node pool asks for what its machine type has."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Enforcement, ResourceRule, Severity
from gpucluster.program.resources import Resource

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Resource, __name__)

RULE: Final = ResourceRule(
    name="accelerators-fit-machine",
    title="Accelerators, slices and local SSDs of a node pool match its machine type",
    why="The cloud refuses the node pool in the middle of the update, after the network and the cluster are made and "
    "billed.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=80,
    check=_JUDGED.check,
)
