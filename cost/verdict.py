"""Whether an estimate fits a budget."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.gap import Gap
from gpucluster.cost.model import Unbounded
from gpucluster.cost.money import at_least, how_known, money, ranged
from gpucluster.program.facts import Budget
from gpucluster.record import record

Outcome = Literal["within", "over", "cannot tell"]


@record
class Verdict:
    """An outcome on the expected amount, and what stands behind it.

    within: the expected amount fits with the most that what has no price may cost, and something limits every pool.
    over: with the least of it, it is more than the budget. cannot tell: neither.
    gap, most_gap: what the expected amount and the ceiling lack because something has no price.
    """

    outcome: Outcome
    budget: Budget
    expected: Decimal
    ceiling: Decimal | Unbounded
    gap: Gap
    most_gap: Gap
    committed: Decimal = Decimal(0)
    """USD a month of the expected amount that is capacity bought outside the stack."""

    @property
    def ceiling_over(self) -> bool:
        """Whether autoscaling could pass the budget although the expected amount does not."""
        low = self.ceiling if isinstance(self.ceiling, str) else self.most_gap.low(self.ceiling)
        return self.outcome != "over" and (isinstance(low, str) or low > self.budget.monthly)

    @property
    def sentence(self) -> str:
        """One line for people."""
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
    """The verdict on `budget`, or on the budget that components state; None when there is none."""
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
    """Whether an amount is within a limit, whatever it lacks."""
    if gap.low(amount) > limit:
        return "over"
    high = gap.high(amount)
    return "cannot tell" if high is None or isinstance(high, str) or high > limit else "within"
