"""The expected monthly total stays within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policies.budgets import CONFIG, judge
from policies.frameworks import FINOPS_BUDGETING
from policies.rule import CannotTell, Finding, NotChecked, Severity, Stack, StackRule, Violation

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    judged = judge(stack)
    if isinstance(judged, Violation):
        yield judged
        return
    for reason in judged.unread:
        yield CannotTell(judged.stated_by, reason)
    verdict = judged.verdict
    if verdict is None:
        if not judged.unread:
            yield NotChecked("budget")
        return
    if verdict.outcome == "over" and verdict.budget.on_exceed == "fail":
        yield Violation(judged.stated_by, verdict.sentence)
    elif judged.undecided and not judged.compute_without_price:  # that is budget-undecidable
        yield CannotTell(judged.stated_by, judged.undecided)


RULE: Final = StackRule(
    name="budget",
    title="The expected monthly total is within the budget",
    why="Somebody agreed to this much a month, and a GPU cluster passes it within days.",
    fix="Take fewer nodes, a shorter or cheaper purchase, less storage, or agree on a larger budget "
    "(budget.monthly in the cluster spec; on_exceed: warn there turns this into a warning).",
    reads="every resource that has a price; the fact budget, or the configured one",
    severity=Severity.HIGH,
    frameworks=(FINOPS_BUDGETING,),
    check=check,
    config=CONFIG,
)
