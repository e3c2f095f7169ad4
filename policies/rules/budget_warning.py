"""The expected monthly total stays within a budget that only warns."""

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
    if verdict is not None and verdict.outcome == "over" and verdict.budget.on_exceed == "warn":
        yield Violation(judged.stated_by, verdict.sentence)


RULE: Final = StackRule(
    name="budget-warning",
    title="The expected monthly total is within the budget, which only warns",
    why="Somebody agreed to this much a month; passing it was to be shown, not stopped.",
    fix="Take fewer nodes, a shorter or cheaper purchase, less storage, or agree on a larger budget; on_exceed: fail "
    "in the cluster spec stops such a plan.",
    reads="every resource that has a price; the fact budget, or the configured one",
    severity=Severity.MEDIUM,
    frameworks=(FINOPS_BUDGETING,),
    check=check,
    config=CONFIG,
)
