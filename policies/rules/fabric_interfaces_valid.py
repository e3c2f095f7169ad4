"""The cloud can launch machines with the fabric interfaces they are given."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Enforcement, ResourceRule, Severity
from gpucluster.program.resources import Resource

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Resource, __name__)

RULE: Final = ResourceRule(
    name="fabric-interfaces-valid",
    title="Network interfaces of GPU machines form a layout that the cloud can launch",
    why="The cloud refuses the launch: the nodes fail after minutes, while their reservation or quota is held.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=40,
    check=_JUDGED.check,
)
