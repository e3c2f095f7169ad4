"""Autoscaling cannot exceed the budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.budgets import Judgement, budget_checks
from gpucluster.policies.engine.rule import Finding, Severity, StackRule, Violation


def check(judged: Judgement) -> Iterator[Finding]:
    verdict = judged.verdict
    if verdict is None:
        return
    if verdict.ceiling_over:
        most = "an unlimited cost" if isinstance(verdict.ceiling, str) else f"${verdict.ceiling:,.2f} a month"
        yield Violation(
            judged.stated_by,
            f"{most} at the autoscaling limit; the budget is ${verdict.budget.monthly:,.2f} a month",
        )


RULE: Final = StackRule(
    name="budget-ceiling",
    title="Monthly cost at the autoscaling limit is within the budget",
    why="An unattended elastic pool can run at its limit for a whole weekend.",
    fix="Lower the limit of the elastic pool (spec.limits of the Karpenter NodePool, elastic in the cluster spec), or "
    "agree on a larger budget.",
    spec="budget.monthly_usd",
    severity=Severity.MEDIUM,
    order=200,
    **budget_checks(check),
)
