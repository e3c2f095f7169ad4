"""One party installs the GPU driver of a node, and one offers its GPUs."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="gpu-driver-has-one-owner",
    title="The GPU driver of a node, and what offers its GPUs to pods, have one owner",
    why="Two drivers fight over the kernel and none loads; of two device plugins each hands out the same GPU. The "
    "nodes are up and billed, and no job starts, or two jobs share a GPU that each believes its own.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
