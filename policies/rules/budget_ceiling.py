"""Autoscaling cannot pass the budget."""

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
        return
    verdict = judged.verdict
    if verdict is None:
        return
    if verdict.ceiling_over:
        most = "nothing limits" if isinstance(verdict.ceiling, str) else f"${verdict.ceiling:,.2f} a month is"
        yield Violation(
            judged.stated_by,
            f"{most} the most that autoscaling may start; the budget is ${verdict.budget.monthly:,.2f} a month",
        )


RULE: Final = StackRule(
    name="budget-ceiling",
    title="The monthly total stays within the budget when autoscaling goes to its limit",
    why="An elastic pool that nobody watches runs at its limit for a weekend.",
    fix="Lower the limit of the elastic pool (spec.limits of the Karpenter NodePool, elastic in the cluster spec), or "
    "agree on a larger budget.",
    reads="every resource that has a price; the fact budget, or the configured one",
    severity=Severity.MEDIUM,
    frameworks=(FINOPS_BUDGETING,),
    check=check,
    config=CONFIG,
)
