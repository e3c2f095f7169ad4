"""Fabric traffic may pass between the nodes of a training pool."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="fabric-traffic-allowed",
    title="Traffic of the GPU fabric may pass between the nodes of a training pool",
    why="Where it may not, the nodes start and are billed, TCP works elsewhere, and NCCL hangs in its first "
    "all-reduce.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    check=_JUDGED.check,
)
