"""Fabric traffic may pass between the nodes of a training pool."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.rule import Enforcement, Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="fabric-traffic-allowed",
    title="Nodes of a training pool allow fabric traffic among themselves",
    why="Without it the nodes start and are billed, other TCP traffic works, and NCCL hangs in its first all-reduce.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=50,
    check=with_hidden(_JUDGED.check, _JUDGED.reads, template=True),
)
