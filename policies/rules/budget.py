"""The expected monthly total stays within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.budgets import Judgement, budget_checks
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, NotChecked, Severity, StackRule, Violation


def check(judged: Judgement) -> Iterator[Finding]:
    for reason in judged.unread:
        yield CannotTell(judged.stated_by, reason)
    verdict = judged.verdict
    if verdict is None:
        if not judged.unread:
            yield NotChecked("budget")
        return
    if verdict.outcome == "over" and verdict.budget.on_exceed == "fail":
        yield Violation(judged.stated_by, verdict.sentence)
    elif judged.undecided and not judged.estimate.unpriced_compute:  # budget-undecidable reports the other case
        yield CannotTell(judged.stated_by, judged.undecided)


RULE: Final = StackRule(
    name="budget",
    title="Expected monthly cost is within the budget",
    why="The budget is the agreed monthly cost, and a GPU cluster can exceed it within days.",
    fix="Use fewer nodes, a shorter or cheaper purchase or less storage, or agree on a larger budget "
    "(budget.monthly_usd in the cluster spec; on_exceed: warn turns this finding into a warning).",
    spec="budget.monthly_usd",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=170,
    **budget_checks(check),
)
