"""Whether an estimate fits a budget."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpucluster.core.program.facts import Budget
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import Unbounded
from gpucluster.cost.pricing.money import at_least, how_known, money, ranged

Outcome = Literal["within", "over", "cannot tell"]


@dataclass(frozen=True)
class Verdict:
    """An outcome on the expected amount, and its basis.

    within: the expected amount fits even at the upper bound of unpriced items, and every pool has a limit.
    over: it exceeds the budget even at the lower bound. cannot tell: neither.
    gap, most_gap: gaps that unpriced items leave in the expected amount and in the ceiling.
    """

    outcome: Outcome
    budget: Budget
    expected: Decimal
    ceiling: Decimal | Unbounded
    gap: Gap
    most_gap: Gap
    committed: Decimal = Decimal(0)
    """USD per month of the expected amount for capacity bought outside the stack."""

    @property
    def ceiling_over(self) -> bool:
        """Whether autoscaling could exceed the budget although the expected amount does not."""
        low = self.ceiling if isinstance(self.ceiling, str) else self.most_gap.low(self.ceiling)
        return self.outcome != "over" and (isinstance(low, str) or low > self.budget.monthly)

    @property
    def sentence(self) -> str:
        """One line for users."""
        committed = f", of it {money(self.committed)} committed elsewhere" if self.committed else ""
        expected, most = ranged(self.expected, self.gap), ranged(self.ceiling, self.most_gap)
        known = how_known(self.expected, self.gap)
        amounts = f"expected {expected} a month{committed}, ceiling {most}"
        said = "; ".join(filter(None, [amounts, f"budget {money(self.budget.monthly)}", known]))
        if self.outcome == "over":
            over = self.gap.low(self.expected) - self.budget.monthly
            return f"over budget by {at_least(over, complete=not self.gap.missing)}: {said}"
        if self.outcome == "cannot tell":
            why = "an autoscaled pool has no limit: " if isinstance(self.ceiling, str) else ""
            return f"cannot tell whether it is within budget: {why}{said}"
        return f"within budget: {said}"


def budget_verdict(estimate: Estimate, budget: Budget | None = None) -> Verdict | None:
    """The verdict on `budget`, or on the budget that components state; None without one."""
    budget = budget or estimate.facts.budget
    if budget is None:
        return None
    monthly, gaps = estimate.monthly, estimate.gaps
    outcome = outcome_of(monthly.expected, gaps.expected, budget.monthly)
    if outcome == "within" and isinstance(monthly.ceiling, str):
        outcome = "cannot tell"
    return Verdict(
        outcome, budget, monthly.expected, monthly.ceiling, gaps.expected, gaps.ceiling, estimate.committed_monthly
    )


def outcome_of(amount: Decimal, gap: Gap, limit: Decimal) -> Outcome:
    """Whether an amount is within a limit, given its gap."""
    if gap.low(amount) > limit:
        return "over"
    high = gap.high(amount)
    return "cannot tell" if high is None or isinstance(high, str) or high > limit else "within"
