"""No upgrade of GPU nodes begins by itself, and none needs more of them."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="upgrade-keeps-jobs",
    title="No upgrade of GPU nodes begins by itself, and none needs a spare GPU node",
    why="One node that is reimaged ends the job of all of them, and comes back with a kernel its drivers do not fit; a "
    "spare GPU node for the upgrade is neither in the quota nor to be had. An upgrade that a plan begins ends jobs "
    "under every strategy: replacement-of-training-pool stops it.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
