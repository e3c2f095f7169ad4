"""Every interface of the GPU fabric that a training node takes is there."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.frameworks import AWS_PLACEMENT
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="fabric-interfaces-complete",
    title="Nodes of a training pool have every interface of the GPU fabric that their machine type takes",
    why="Each missing one is bandwidth the machine's price includes and training does not get; without any, NCCL "
    "falls back to TCP.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    frameworks=(AWS_PLACEMENT,),
    check=_JUDGED.check,
)
