"""Whether an estimate fits a budget: of a stack, of label values and of pools."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Literal

from gpucluster.core.program.facts import Budget
from gpucluster.core.program.resources import Resources
from gpucluster.core.program.values import MOST, BadValue, amount, is_object
from gpucluster.core.text.values import shown_value
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.labels import group_by
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import Amounts, CostLine, NotPriced, Unbounded
from gpucluster.cost.pricing.money import at_least, how_known, money, ranged
from gpucluster.errors import InputError

__all__ = [
    "BadLimits",
    "Limit",
    "LimitVerdict",
    "Limits",
    "Outcome",
    "Verdict",
    "budget_verdict",
    "outcome_of",
    "read_limits",
    "verdicts_of",
]


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
        text = "; ".join(filter(None, [amounts, f"budget {money(self.budget.monthly)}", known]))
        if self.outcome == "over":
            over = self.gap.low(self.expected) - self.budget.monthly
            return f"over budget by {at_least(over, complete=not self.gap.missing)}: {text}"
        if self.outcome == "cannot tell":
            why = "an autoscaled pool has no limit: " if isinstance(self.ceiling, str) else ""
            return f"cannot tell whether it is within budget: {why}{text}"
        return f"within budget: {text}"


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


_SCOPES: Final = ("stack", "labels", "pools")
_KEYS: Final = ("monthly", "ceiling")
_FORM: Final = "write for example stack: {monthly: 420000, ceiling: 450000}"


class BadLimits(InputError):
    """A file of limits cannot be used; one line for each problem."""


@dataclass(frozen=True, slots=True)
class Limit:
    """USD per month. monthly: for the expected cost. ceiling: for the maximum with autoscaling. None: no limit."""

    monthly: Decimal | None = None
    ceiling: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """stack: limit of the whole stack. labels: label -> its value -> limit. pools: name of a resource, or of the
    component around resources -> limit.
    """

    stack: Limit | None = None
    labels: Mapping[str, Mapping[str, Limit]] = field(default_factory=dict[str, Mapping[str, Limit]])
    pools: Mapping[str, Limit] = field(default_factory=dict[str, Limit])


def read_limits(path: Path) -> Limits:
    """The limits of a YAML file. BadLimits lists all of its problems."""
    from gpucluster.core.text.yaml_text import BadYaml, read

    try:
        text = read(path)
    except OSError as error:
        raise BadLimits(f"{path} cannot be read: {error.strerror}") from None
    except BadYaml as error:
        raise BadLimits(f"{path} {error}; {_FORM}") from None
    found = text.data
    if not is_object(found) or not found:
        raise BadLimits(f"{path} has no limits; {_FORM}")
    problems = [*map(str, text.faults), *_problems(found)]
    if problems:
        raise BadLimits("\n".join(f"{path}: {problem}" for problem in problems))
    return Limits(
        _limit(found["stack"]) if "stack" in found else None,
        {
            str(label): {str(value): _limit(limit) for value, limit in values.items()}
            for label, values in found.get("labels", {}).items()
        },
        {str(name): _limit(limit) for name, limit in found.get("pools", {}).items()},
    )


def _problems(found: Mapping[str, Any]) -> Iterator[str]:
    for scope, value in found.items():
        if scope == "stack":
            yield from _limit_problems("stack", value)
        elif scope == "labels":
            for label, values in _named("labels", value):
                for name, limit in _named(f"labels.{label}", values):
                    yield from _limit_problems(f"labels.{label}.{name}", limit)
        elif scope == "pools":
            for name, limit in _named("pools", value):
                yield from _limit_problems(f"pools.{name}", limit)
        else:
            near = difflib.get_close_matches(str(scope), _SCOPES, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield f"{scope!r} is not known; allowed: {', '.join(_SCOPES)}{hint}"
    for scope, depth in (("labels", 2), ("pools", 1)):
        yield from _shape_problems(scope, found.get(scope, {}), depth)


def _shape_problems(where: str, value: Any, depth: int) -> Iterator[str]:
    if not is_object(value):
        within = "labels and their values" if where == "labels" else "names"
        limits = f"{within} with their limits, such as team: {{research: {{monthly: 90000}}}}"
        yield f"{where} is {shown_value(value)}; write {limits}"
    elif depth > 1:
        for name, inner in value.items():
            yield from _shape_problems(f"{where}.{name}", inner, depth - 1)


def _named(where: str, value: Any) -> list[tuple[str, Any]]:
    del where
    return [(str(name), inner) for name, inner in value.items()] if is_object(value) else []


def _limit_problems(where: str, value: Any) -> Iterator[str]:
    if not is_object(value) or not value:
        limit = "monthly, ceiling or both, in USD: {monthly: 420000, ceiling: 450000}"
        yield f"{where} is {shown_value(value)}; write {limit}"
        return
    for key, given in value.items():
        if key not in _KEYS:
            yield f"{where}.{key} is not known; allowed: {', '.join(_KEYS)}"
        elif _amount(given) is None:
            yield f"{where}.{key} is {shown_value(given)}; write USD a month, a number from 0 to {MOST:,}"


def _limit(value: Mapping[str, Any]) -> Limit:
    return Limit(*(_amount(value[key]) if key in value else None for key in _KEYS))


def _amount(value: object) -> Decimal | None:
    try:
        return amount(value, "")
    except BadValue:
        return None


Test = Literal["expected", "ceiling"]


@dataclass(frozen=True, slots=True)
class LimitVerdict:
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


def verdicts_of(estimate: Estimate, resources: Resources, limits: Limits) -> tuple[LimitVerdict, ...]:
    """A verdict for each limit, in file order, after the verdict on the budget that components state.

    Raises BadLimits.
    """
    missing = [name for name in limits.pools if name not in set(estimate.names.values())]
    if missing:
        raise BadLimits("\n".join(_unknown(name, estimate) for name in missing))
    return tuple(_verdicts(estimate, resources, limits))


def _verdicts(estimate: Estimate, resources: Resources, limits: Limits) -> Iterator[LimitVerdict]:
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
) -> Iterator[LimitVerdict]:
    amounts = Amounts.of(lines)
    if limit.monthly is not None:
        yield _verdict(scope, "expected", amounts.expected, limit.monthly, Gap.of(unpriced), absent)
    if limit.ceiling is not None:
        gap = Gap.of(unpriced, lambda of: of.ceiling)
        yield _verdict(scope, "ceiling", amounts.ceiling, limit.ceiling, gap, absent)


def _verdict(
    scope: str, test: Test, amount: Decimal | Unbounded, limit: Decimal, gap: Gap, absent: str
) -> LimitVerdict:
    known = how_known(amount, gap)
    if isinstance(amount, str):
        why = "; ".join(filter(None, ["an autoscaled pool has no limit", absent, known]))
        return LimitVerdict(scope, test, amount, limit, "cannot tell", gap, why)
    outcome = "cannot tell" if absent else outcome_of(amount, gap, limit)
    return LimitVerdict(scope, test, amount, limit, outcome, gap, absent or known)


def _unknown(name: str, estimate: Estimate) -> str:
    billed = list(dict.fromkeys(estimate.names.get(line.urn, "") for line in estimate.lines))
    near = difflib.get_close_matches(name, billed, n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"most expensive: {', '.join(billed[:5])}"
    return f"pools.{name}: the stack has no resource with this name; {hint}"
