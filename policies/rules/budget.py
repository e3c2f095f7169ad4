"""The expected monthly total stays within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from policies.budgets import CONFIG, Judgement, judge
from policies.frameworks import FINOPS_BUDGETING
from policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

__all__ = ["RULE"]

_NAMED: Final = 5
"""Resources without a price that are named one by one."""


def check(stack: Stack) -> Iterator[Finding]:
    judged = judge(stack)
    if isinstance(judged, Violation):
        yield judged
        return
    for reason in judged.unread:
        yield CannotTell(judged.stated_by, reason)
    verdict = judged.verdict
    if verdict is None:
        return
    if verdict.outcome == "over" and verdict.budget.on_exceed == "fail":
        yield Violation(judged.stated_by, verdict.sentence)
    elif verdict.outcome == "cannot tell":
        yield CannotTell(judged.stated_by, f"{verdict.sentence}; {_without_price(judged)}")


def _without_price(judged: Judgement) -> str:
    found = judged.estimate
    reasons = [f"`{found.names.get(missing.urn, missing.urn)}` ({missing.reason})" for missing in found.not_priced]
    more = f" and {len(reasons) - _NAMED} more" if len(reasons) > _NAMED else ""
    return f"without a price: {', '.join(reasons[:_NAMED])}{more}"


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
