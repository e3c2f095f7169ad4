"""Compares the monthly total with the budget, using the estimator that prices the preview."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypedDict

from gpucluster.core.program.facts import Budget
from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.core.program.values import BadValue, amount
from gpucluster.policies.engine.rule import Finding, Framework, Stack, Violation
from gpucluster.policies.frameworks import FINOPS_BUDGETING

if TYPE_CHECKING:
    from gpucluster.cost import Estimate
    from gpucluster.cost.estimate.budgets import Verdict


_CONFIG: Final[Mapping[str, Mapping[str, Any]]] = {
    "monthly": {
        "type": "string",
        "pattern": r"\d+(\.\d+)?",
        "examples": ["250000"],
        "description": "Monthly budget in USD; overrides the budget that the components register",
    },
    "onExceed": {
        "type": "string",
        "enum": ["fail", "warn"],
        "description": "In place of the budget's own; `fail` by default with `monthly`",
    },
}

_NAMED: Final = 5
"""Maximum of unpriced resources to list."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """
    verdict: None if no readable budget is stated.
    stated_by: the component that registered it; None for the pack's configuration.
    unread: why a stated budget could not be used.
    """

    estimate: Estimate
    verdict: Verdict | None
    stated_by: Resource | None
    unread: tuple[str, ...] = ()

    @property
    def undecided(self) -> str | None:
        """What is open and why, if the priced part fits but something is unpriced or a pool has no limit."""
        if self.verdict is None or self.verdict.outcome != "cannot tell":
            return None
        found = self.estimate
        if not found.not_priced:
            return self.verdict.sentence
        reasons = [f"`{found.names.get(missing.urn, missing.urn)}` ({missing.reason})" for missing in found.not_priced]
        more = f" and {len(reasons) - _NAMED} more" if len(reasons) > _NAMED else ""
        return f"{self.verdict.sentence}; without a price: {', '.join(reasons[:_NAMED])}{more}"


class BudgetChecks(TypedDict):
    """Fields of a `StackRule` about the budget."""

    reads: str
    frameworks: tuple[Framework, ...]
    check: Callable[[Stack], Iterable[Finding]]
    config: Mapping[str, Mapping[str, Any]]


def budget_checks(check: Callable[[Judgement], Iterable[Finding]]) -> BudgetChecks:
    """The check of the stack's total; an invalid configured budget is its only finding."""

    def checked(stack: Stack) -> Iterable[Finding]:
        judged = _judge(stack)
        return [judged] if isinstance(judged, Violation) else check(judged)

    return {
        "reads": "every resource with a price; the fact budget, or the configured budget",
        "frameworks": (FINOPS_BUDGETING,),
        "check": checked,
        "config": _CONFIG,
    }


_ESTIMATES: Final[weakref.WeakKeyDictionary[Resources, Estimate | Violation]] = weakref.WeakKeyDictionary()
"""One estimate for all rules that read the same resources."""


def priced(resources: Resources) -> Estimate | Violation:
    """The estimate of the stack; a Violation if the user's own prices cannot be read."""
    from gpucluster.cost import estimate  # prices are loaded only when a cost rule runs
    from gpucluster.cost.prices import BadPrices

    found = _ESTIMATES.get(resources)
    if found is None:
        try:
            found = estimate(resources)
        except BadPrices as error:
            what = f"cannot use your prices: {'; '.join(str(error).splitlines())}"
            found = Violation(None, what, fix="Correct it.")
        _ESTIMATES[resources] = found
    return found


def _judge(stack: Stack) -> Judgement | Violation:
    """The total of the stack against its budget; a Violation if the configured budget is invalid."""
    from gpucluster.cost.estimate.budgets import budget_verdict

    configured = _configured(stack.config)
    if isinstance(configured, Violation):
        return configured
    found = priced(stack.resources)
    if isinstance(found, Violation):
        return found
    if configured is not None:
        return Judgement(estimate=found, verdict=budget_verdict(found, configured), stated_by=None)
    all_stated = list(read_registered_facts(stack.resources))
    stated = found.facts.budget
    if stated is not None and "onExceed" in stack.config:
        stated = replace(stated, on_exceed=stack.config["onExceed"])
    return Judgement(
        estimate=found,
        verdict=budget_verdict(found, stated),
        stated_by=next((each.component for each in all_stated if "budget" in each.names), None),
        unread=tuple(reason for each in all_stated for name, reason in each.unread if name == "budget"),
    )


def _configured(config: Mapping[str, Any]) -> Budget | Violation | None:
    on_exceed = config.get("onExceed", "fail")
    if on_exceed not in ("fail", "warn"):
        return Violation(None, f"setting `onExceed` is `{on_exceed}`, not `fail` or `warn`", fix="Correct it.")
    if "monthly" not in config:
        return None
    try:
        return Budget(amount(config["monthly"], "monthly"), on_exceed)
    except BadValue:
        wrong = f"setting `monthly` is `{config['monthly']}`, not an amount in USD such as `250000`"
        return Violation(None, wrong, fix="Correct it.")
