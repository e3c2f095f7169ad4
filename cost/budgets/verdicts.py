"""Whether an estimate keeps its limits: within, over, or not to be told."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpucluster.cost.budgets.limits import BadLimits, Limit, Limits
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import group_by
from gpucluster.cost.model import Amounts, CostLine, Unbounded
from gpucluster.cost.verdict import Outcome
from gpucluster.program.resources import Resources

__all__ = ["Test", "Verdict", "verdicts_of"]

Test = Literal["expected", "ceiling"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One limit held against one amount.

    scope: `stack`, `team=research`, or the name of a pool. test: whether the expected amount is held against the budget
    or the most against the ceiling. why: why it cannot be told, empty where it can.
    """

    scope: str
    test: Test
    amount: Decimal | Unbounded
    limit: Decimal
    outcome: Outcome
    complete: bool
    why: str = ""

    @property
    def over(self) -> Decimal | None:
        """USD a month above the limit, None where it is not over."""
        return self.amount - self.limit if self.outcome == "over" and not isinstance(self.amount, str) else None


def verdicts_of(estimate: Estimate, resources: Resources, limits: Limits) -> tuple[Verdict, ...]:
    """A verdict for each limit, in the order of the file, after that of the budget that components state.

    Raises BadLimits.
    """
    missing = [name for name in limits.pools if name not in set(estimate.names.values())]
    if missing:
        raise BadLimits("\n".join(_unknown(name, estimate) for name in missing))
    return tuple(_verdicts(estimate, resources, limits))


def _verdicts(estimate: Estimate, resources: Resources, limits: Limits) -> Iterator[Verdict]:
    stated = estimate.facts.budget
    if stated is not None:
        yield from _held("stack, as it states", estimate.lines, len(estimate.not_priced), Limit(stated.monthly))
    if limits.stack is not None:
        yield from _held("stack", estimate.lines, len(estimate.not_priced), limits.stack)
    for label, values in limits.labels.items():
        grouping = group_by(estimate, resources, label)
        groups = {group.value: group.lines for group in grouping.groups}
        for value, limit in values.items():
            urns = [urn for urn, group in grouping.by_urn.items() if group == value]
            unpriced = sum(item.urn in urns for item in estimate.not_priced)
            absent = f"nothing carries {label}={value}" if value not in groups else ""
            yield from _held(f"{label}={value}", groups.get(value, ()), unpriced, limit, absent)
    for name, limit in limits.pools.items():
        lines = [line for line in estimate.lines if name in (line.part, estimate.names.get(line.urn))]
        unpriced = sum(name in (item.part, estimate.names.get(item.urn)) for item in estimate.not_priced)
        absent = "it has no line of its own" if not lines and not unpriced else ""
        yield from _held(name, lines, unpriced, limit, absent)


def _held(scope: str, lines: Sequence[CostLine], unpriced: int, limit: Limit, absent: str = "") -> Iterator[Verdict]:
    amounts = Amounts.of(lines)
    missing = absent or (f"{unpriced} not priced" if unpriced else "")
    if limit.monthly is not None:
        yield _verdict(scope, "expected", amounts.expected, limit.monthly, missing)
    if limit.ceiling is not None:
        yield _verdict(scope, "ceiling", amounts.ceiling, limit.ceiling, missing)


def _verdict(scope: str, test: Test, amount: Decimal | Unbounded, limit: Decimal, missing: str) -> Verdict:
    if isinstance(amount, str):
        why = "; ".join(filter(None, ["nothing limits an autoscaled pool", missing]))
        return Verdict(scope, test, amount, limit, "cannot tell", complete=not missing, why=why)
    if amount > limit:
        return Verdict(scope, test, amount, limit, "over", complete=not missing)
    outcome: Outcome = "cannot tell" if missing else "within"
    return Verdict(scope, test, amount, limit, outcome, complete=not missing, why=missing)


def _unknown(name: str, estimate: Estimate) -> str:
    billed = list(dict.fromkeys(estimate.names.get(line.urn, "") for line in estimate.lines))
    near = difflib.get_close_matches(name, billed, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"those that cost most: {', '.join(billed[:5])}"
    return f"pools.{name}: no resource of the stack is called that; {hint}"
