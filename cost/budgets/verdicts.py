"""Whether an estimate keeps its limits: within, over, or undecidable."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpucluster.cost.budgets.limits import BadLimits, Limit, Limits
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.gap import Gap
from gpucluster.cost.grouping import group_by
from gpucluster.cost.model import Amounts, CostLine, NotPriced, Unbounded
from gpucluster.cost.money import how_known
from gpucluster.cost.verdict import Outcome, outcome_of
from gpucluster.program.resources import Resources

Test = Literal["expected", "ceiling"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One limit compared with one amount.

    scope: `stack`, `team=research`, or the name of a pool. test: whether it compares the expected amount with the
    budget or the ceiling with the maximum. gap: of the amount. why: why it is undecidable, empty if it is not, and how
    well the amount is known.
    """

    scope: str
    test: Test
    amount: Decimal | Unbounded
    limit: Decimal
    outcome: Outcome
    gap: Gap
    why: str = ""

    @property
    def over(self) -> Decimal | None:
        """Minimum USD per month above the limit, None if it is not over."""
        if isinstance(self.amount, str) or self.outcome != "over":
            return None
        return self.gap.low(self.amount) - self.limit


def verdicts_of(estimate: Estimate, resources: Resources, limits: Limits) -> tuple[Verdict, ...]:
    """A verdict for each limit, in file order, after the verdict on the budget that components state.

    Raises BadLimits.
    """
    missing = [name for name in limits.pools if name not in set(estimate.names.values())]
    if missing:
        raise BadLimits("\n".join(_unknown(name, estimate) for name in missing))
    return tuple(_verdicts(estimate, resources, limits))


def _verdicts(estimate: Estimate, resources: Resources, limits: Limits) -> Iterator[Verdict]:
    stated = estimate.facts.budget
    if stated is not None:
        yield from _held("stack's own budget", estimate.lines, estimate.not_priced, Limit(stated.monthly))
    if limits.stack is not None:
        yield from _held("stack", estimate.lines, estimate.not_priced, limits.stack)
    for label, values in limits.labels.items():
        grouping = group_by(estimate, resources, label)
        groups = {group.value: group.lines for group in grouping.groups}
        for value, limit in values.items():
            urns = [urn for urn, group in grouping.by_urn.items() if group == value]
            unpriced = [item for item in estimate.not_priced if item.urn in urns]
            absent = f"no resource has {label}={value}" if value not in groups else ""
            yield from _held(f"{label}={value}", groups.get(value, ()), unpriced, limit, absent)
    for name, limit in limits.pools.items():
        lines = [line for line in estimate.lines if name in (line.part, estimate.names.get(line.urn))]
        unpriced = [item for item in estimate.not_priced if name in (item.part, estimate.names.get(item.urn))]
        absent = "" if lines or unpriced else "no separate line"
        yield from _held(name, lines, unpriced, limit, absent)


def _held(
    scope: str, lines: Sequence[CostLine], unpriced: Sequence[NotPriced], limit: Limit, absent: str = ""
) -> Iterator[Verdict]:
    amounts = Amounts.of(lines)
    if limit.monthly is not None:
        yield _verdict(scope, "expected", amounts.expected, limit.monthly, Gap.of(unpriced), absent)
    if limit.ceiling is not None:
        gap = Gap.of(unpriced, lambda of: of.ceiling)
        yield _verdict(scope, "ceiling", amounts.ceiling, limit.ceiling, gap, absent)


def _verdict(scope: str, test: Test, amount: Decimal | Unbounded, limit: Decimal, gap: Gap, absent: str) -> Verdict:
    known = how_known(amount, gap)
    if isinstance(amount, str):
        why = "; ".join(filter(None, ["an autoscaled pool has no limit", absent, known]))
        return Verdict(scope, test, amount, limit, "cannot tell", gap, why)
    outcome = "cannot tell" if absent else outcome_of(amount, gap, limit)
    return Verdict(scope, test, amount, limit, outcome, gap, absent or known)


def _unknown(name: str, estimate: Estimate) -> str:
    billed = list(dict.fromkeys(estimate.names.get(line.urn, "") for line in estimate.lines))
    near = difflib.get_close_matches(name, billed, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"most expensive: {', '.join(billed[:5])}"
    return f"pools.{name}: the stack has no resource with this name; {hint}"
