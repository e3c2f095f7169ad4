"""The cloud can launch machines with the fabric interfaces they are given."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import ResourceRule, Severity
from gpucluster.program.resources import Resource

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Resource, __name__)

RULE: Final = ResourceRule(
    name="fabric-interfaces-valid",
    title="The interfaces of GPU machines are such that the cloud can launch them",
    why="The cloud refuses the launch: the nodes are asked for, then fail after minutes, with their reservation or "
    "quota held.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
