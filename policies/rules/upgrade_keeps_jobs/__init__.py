"""No upgrade of GPU nodes starts automatically, and none needs additional nodes."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="upgrade-keeps-jobs",
    title="No upgrade of GPU nodes starts automatically, and none needs a spare GPU node",
    why="One reimaged node ends the job on all nodes, and may come back with a kernel that its drivers do not "
    "support. A surge GPU node exceeds the quota and is rarely available. An upgrade in a plan ends jobs under every "
    "strategy: replacement-of-training-pool stops it.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=100,
    **with_hidden(stack_checks(__name__)),
)
