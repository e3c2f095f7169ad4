"""The expected monthly total stays within a budget that only warns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.budgets import Judgement, budget_checks
from gpucluster.policies.engine.rule import Finding, Severity, StackRule, Violation


def check(judged: Judgement) -> Iterator[Finding]:
    verdict = judged.verdict
    if verdict is not None and verdict.outcome == "over" and verdict.budget.on_exceed == "warn":
        yield Violation(judged.stated_by, verdict.sentence)


RULE: Final = StackRule(
    name="budget-warning",
    title="Expected monthly cost is within the warning budget",
    why="The budget is the agreed monthly cost. This budget warns instead of blocking.",
    fix="Use fewer nodes, a shorter or cheaper purchase or less storage, or agree on a larger budget; on_exceed: fail "
    "in the cluster spec stops such a plan.",
    spec="budget.monthly_usd",
    severity=Severity.MEDIUM,
    order=190,
    **budget_checks(check),
)
