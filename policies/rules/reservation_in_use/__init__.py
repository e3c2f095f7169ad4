"""A reservation is used by its intended machines."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="reservation-in-use",
    title="Machines of the stack use the capacity reservation of their type",
    why="A reservation is billed whether used or not: machines that start outside of it cost a second time. Karpenter "
    "uses only reservations that its node class lists, even if they are open.",
    severity=Severity.HIGH,
    order=20,
    **stack_checks(__name__),
)
