"""A budget is undecidable while the machines have no price."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.budgets import Judgement, budget_checks
from gpucluster.policies.engine.rule import Finding, Severity, StackRule, Violation


def check(judged: Judgement) -> Iterator[Finding]:
    if judged.undecided and judged.estimate.unpriced_compute:
        yield Violation(judged.stated_by, judged.undecided)


RULE: Final = StackRule(
    name="budget-undecidable",
    title="Every machine of a stack with a budget has a price",
    why="Machines are nearly all of the bill: without their prices the budget cannot be enforced.",
    fix="Use a machine type and region with a price, or add the price; make this rule mandatory if no machine may "
    "start without a price.",
    spec="budget.monthly_usd",
    severity=Severity.HIGH,
    order=210,
    **budget_checks(check),
)
