"""Nodes that train together are not taken back one by one."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="training-pool-not-on-spot",
    title="Nodes of a training pool are not spot machines",
    why="The cloud takes a spot machine back at a few minutes' notice at most, and a job over several nodes stops with "
    "the first of them: all the others are paid for while it starts again from its checkpoint.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.MEDIUM,
    order=10,
    check=with_hidden(_JUDGED.check, _JUDGED.reads, template=True),
)
