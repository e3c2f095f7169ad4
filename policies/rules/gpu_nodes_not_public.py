"""Machines with GPUs have no address in the internet."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="gpu-nodes-not-public",
    title="Machines with GPUs have no public address",
    why="A GPU machine is the most valuable target of an attack, and jobs open ports on it. Each public IPv4 "
    "address is billed by the hour as well.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    order=120,
    check=with_hidden(_JUDGED.check, _JUDGED.reads, single=True, template=True),
)
