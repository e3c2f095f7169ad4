"""Machines with GPUs have no address in the internet."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="gpu-nodes-not-public",
    title="Machines with GPUs have no public address",
    why="A GPU machine is the dearest thing to take over, and a job opens ports on it; each public IPv4 address is "
    "billed by the hour as well.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
