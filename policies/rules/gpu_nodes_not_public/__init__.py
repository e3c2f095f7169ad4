"""Machines with GPUs have no public address."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="gpu-nodes-not-public",
    title="Machines with GPUs have no public address",
    why="A GPU machine is the most valuable target of an attack, and jobs open ports on it. Each public IPv4 "
    "address is billed by the hour as well.",
    severity=Severity.HIGH,
    order=120,
    **with_hidden(stack_checks(__name__), single=True, template=True),
)
