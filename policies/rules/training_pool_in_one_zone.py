"""Nodes of one training pool stand in one zone."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.frameworks import AWS_PLACEMENT, GKE_PLACEMENT
from gpucluster.policies.rule import Enforcement, Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="training-pool-in-one-zone",
    title="Nodes of one training pool are in one zone",
    why="The GPU fabric does not leave its zone: nodes in two zones use TCP, or do not reach each other at all, and "
    "traffic between zones is billed.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=20,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT),
    check=with_hidden(_JUDGED.check, _JUDGED.reads),
)
