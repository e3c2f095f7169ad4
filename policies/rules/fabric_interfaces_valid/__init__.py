"""The cloud can launch machines with their configured fabric interfaces."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import resource_checks
from gpucluster.policies.rule import Enforcement, ResourceRule, Severity

RULE: Final = ResourceRule(
    name="fabric-interfaces-valid",
    title="Network interfaces of GPU machines form a layout that the cloud can launch",
    why="The cloud refuses the launch: the nodes fail after minutes, while their reservation or quota is held.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=40,
    **resource_checks(__name__),
)
