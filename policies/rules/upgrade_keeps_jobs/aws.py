"""Updates of EKS node groups need no additional machine, and force-delete no pod. EKS starts none automatically.

Source: EKS API, NodegroupUpdateConfig: the default strategy starts new machines first, MINIMAL ends old ones first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import NODE_GROUP
from gpucluster.policies.clouds.aws.pools import training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import flag, text

FIX: Final = (
    "Set updateConfig.updateStrategy to MINIMAL with maxUnavailable 1, and do not set forceUpdateVersion. MINIMAL "
    "ends an old node, and the jobs on it, before its successor starts: update between jobs."
)
READS: Final = NODE_GROUP


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for machines in pool:
            if machines.resource.type != NODE_GROUP:
                continue
            strategy = text(machines.resource.inputs, "updateConfig", "updateStrategy")
            if strategy is UNKNOWN:
                yield CannotTell(machines.resource, "whether its updates need spare nodes is not known yet")
            elif strategy != "MINIMAL":
                given = f"updateStrategy {strategy}" if strategy else "no updateStrategy (default: DEFAULT)"
                yield machines.finding(f"{machines.label} with {given}: an update starts additional machines first")
            if flag(machines.resource.inputs, "forceUpdateVersion") is True:
                yield machines.finding(
                    f"{machines.label} with forceUpdateVersion: an update ends pods despite disruption budgets"
                )
