"""Nobody may do everything to everything."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="no-wildcard-rights",
    title="No identity has every right on every resource, and no role is open to everyone",
    why="A compromised node or controller can then start GPU machines in the whole account, read every bucket, and "
    "disable the logs of it.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    order=150,
    check=_JUDGED.check,
)
