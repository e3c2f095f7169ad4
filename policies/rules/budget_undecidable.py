"""A budget says nothing while the machines have no price."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policies.budgets import CONFIG, judge
from policies.frameworks import FINOPS_BUDGETING
from policies.rule import Finding, Severity, Stack, StackRule, Violation

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    judged = judge(stack)
    if isinstance(judged, Violation):
        yield judged
    elif judged.undecided and judged.compute_without_price:
        yield Violation(judged.stated_by, judged.undecided)


RULE: Final = StackRule(
    name="budget-undecidable",
    title="Machines have a price when a budget is stated",
    why="Machines are nearly all of the bill: the budget is kept by nobody while they have no price.",
    fix="Take a machine type and region with a price, or add the price; promote this rule to mandatory "
    "where nothing may start unpriced.",
    reads="every resource that has a price; the fact budget, or the configured one",
    severity=Severity.HIGH,
    frameworks=(FINOPS_BUDGETING,),
    check=check,
    config=CONFIG,
)
