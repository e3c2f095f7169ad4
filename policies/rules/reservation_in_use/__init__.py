"""A reservation is taken by the machines it was made for."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="reservation-in-use",
    title="Machines of the stack use the capacity reservation of their type",
    why="A reservation is billed whether used or not: machines that start outside of it are paid for a second time. "
    "Karpenter takes no reservation that its node class does not list, not even an open one.",
    severity=Severity.HIGH,
    order=20,
    **stack_checks(__name__),
)
