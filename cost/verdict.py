"""Whether an estimate fits a budget."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.model import Unbounded
from gpucluster.cost.money import at_least
from gpucluster.program.facts import Budget

__all__ = ["Outcome", "Verdict", "budget_verdict"]

Outcome = Literal["within", "over", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome on the expected amount, and what stands behind it.

    within: expected fits, every resource has a price and something limits every pool. over: what is priced alone is
    more than the budget. cannot tell: what is priced fits, but something has no price, or nothing limits a pool.
    """

    outcome: Outcome
    budget: Budget
    expected: Decimal
    ceiling: Decimal | Unbounded
    not_priced: int
    committed: Decimal = Decimal(0)
    """USD a month of the expected amount that is capacity bought outside the stack."""

    @property
    def ceiling_over(self) -> bool:
        """Whether autoscaling could pass the budget although the expected amount does not."""
        return self.outcome != "over" and (isinstance(self.ceiling, str) or self.ceiling > self.budget.monthly)

    @property
    def sentence(self) -> str:
        """One line for people."""
        most = at_least(self.ceiling, complete=not self.not_priced)
        committed = f", of it ${self.committed:,.2f} committed elsewhere" if self.committed else ""
        expected = at_least(self.expected, complete=not self.not_priced)
        amounts = f"expected {expected} a month{committed}, ceiling {most}"
        budget = f"budget ${self.budget.monthly:,.2f}"
        if self.outcome == "over":
            return f"over budget by ${self.expected - self.budget.monthly:,.2f}: {amounts}; {budget}"
        if self.outcome == "cannot tell":
            unlimited = "nothing limits an autoscaled pool" if isinstance(self.ceiling, str) else ""
            unpriced = f"{self.not_priced} not priced" if self.not_priced else ""
            why = ", ".join(filter(None, [unpriced, unlimited]))
            return f"cannot tell whether it is within budget: {why}; {amounts}; {budget}"
        return f"within budget: {amounts}; {budget}"


def budget_verdict(estimate: Estimate, budget: Budget | None = None) -> Verdict | None:
    """The verdict on `budget`, or on the budget that components state; None when there is none."""
    budget = budget or estimate.facts.budget
    if budget is None:
        return None
    monthly = estimate.monthly
    bounded = not isinstance(monthly.ceiling, str)
    outcome: Outcome = "within" if estimate.complete and bounded else "cannot tell"
    if monthly.expected > budget.monthly:
        outcome = "over"
    return Verdict(
        outcome, budget, monthly.expected, monthly.ceiling, len(estimate.not_priced), estimate.committed_monthly
    )
