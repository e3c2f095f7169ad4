"""`gpucluster cost report` as Markdown: a total, a small table, every line folded, within what GitHub takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import Group, Grouping
from gpucluster.cost.model import CostLine, NotPriced, Part
from gpucluster.cost.money import at_least, money
from gpucluster.cost.render.diff_markdown import LONGEST
from gpucluster.cost.render.markdown import bytes_of, code, fitting, marker, row
from gpucluster.cost.verdict import budget_verdict

__all__ = ["report_markdown"]

_PARTS: Final = 12_000
_GROUPS: Final = 8_000
_UNPRICED: Final = 8_000
_ROOM_FOR_THE_REST: Final = 4_000
"""Bytes that the rows of each list take at the most, and of all that is no list."""


def report_markdown(estimate: Estimate, stack: str, groupings: Sequence[Grouping] = ()) -> str:
    """The whole report. The order hangs on amounts and names alone."""
    monthly, complete = estimate.monthly, estimate.complete
    named = code(stack) if stack else "This stack"
    out = [f"**{named} costs {at_least(monthly.expected, complete=complete)} a month.**", ""]
    out += ["| | $/month |", "| --- | ---: |", *_totals(estimate)]
    parts = [part for part in estimate.parts if part.monthly.expected or part.name in estimate.unpriced_parts]
    out += fitting(parts, lambda part: _part(part, estimate), _PARTS, _rest_of_parts)
    if (verdict := budget_verdict(estimate)) is not None:
        out += ["", f"Budget: {verdict.sentence}."]
    for grouping in groupings[:3]:
        out += ["", f"| {code(grouping.label)} | $/month |", "| --- | ---: |"]
        out += fitting(grouping.groups, _group, _GROUPS // len(groupings), _rest_of_groups)
    if estimate.facts.not_built:
        out += [
            "",
            "**Not built, not in the total**",
            "",
            *(f"- {code(text, 400)}" for text in estimate.facts.not_built),
        ]
    if estimate.not_priced:
        out += ["", "**Not priced, not in the total**", ""]
        ordered = sorted(estimate.not_priced, key=lambda item: item.urn)
        out += fitting(ordered, lambda item: _unpriced(item, estimate), _UNPRICED, lambda left: f"- {len(left):,} more")
    out += _detail(estimate, LONGEST - bytes_of(out) - _ROOM_FOR_THE_REST)
    out += ["", "List prices in USD, before tax, discounts, support and data transfer.", ""]
    return "\n".join([*out, marker("cost report", stack)])


def _totals(estimate: Estimate) -> Iterator[str]:
    monthly, complete = estimate.monthly, estimate.complete
    yield row("**Total**", f"**{at_least(monthly.expected, complete=complete)}**")
    if monthly.varies:
        yield row("floor", at_least(monthly.floor, complete=complete))
        yield row("ceiling", at_least(monthly.ceiling, complete=complete))
    if estimate.committed_monthly:
        yield row("of it committed elsewhere", money(estimate.committed_monthly))
    yield row("per hour", at_least(estimate.hourly.expected, complete=complete))
    if (per_gpu := estimate.per_training_gpu_hour) is not None:
        shown = "unknown" if estimate.training_unknown else at_least(per_gpu, complete=complete)
        yield row("per training GPU-hour", shown)
    if (trial := estimate.trial_total) is not None:
        yield row("this trial", at_least(trial, complete=complete))
        if estimate.upfront:
            yield row("of it paid upfront", money(estimate.upfront))


def _part(part: Part, estimate: Estimate) -> str:
    return row(code(part.name), at_least(part.monthly.expected, complete=part.name not in estimate.unpriced_parts))


def _rest_of_parts(left: Sequence[Part]) -> str:
    return row(f"{len(left):,} more parts", money(sum((part.monthly.expected for part in left), Decimal(0))))


def _group(group: Group) -> str:
    return row(code(group.value), at_least(group.monthly.expected, complete=group.complete))


def _rest_of_groups(left: Sequence[Group]) -> str:
    return row(f"{len(left):,} more", money(sum((group.monthly.expected for group in left), Decimal(0))))


def _unpriced(item: NotPriced, estimate: Estimate) -> str:
    return f"- {code(estimate.names.get(item.urn, ''))} ({code(item.type)}): {code(item.reason, 300)}"


def _detail(estimate: Estimate, room: int) -> list[str]:
    lines = [line for line in estimate.lines if line.shown]
    if not lines:
        return []
    count = "1 line" if len(lines) == 1 else f"{len(lines):,} lines"
    head = ["| resource | line | quantity | $/month |", "| --- | --- | ---: | ---: |"]
    rows = fitting(lines, lambda line: _line(line, estimate), room, _rest_of_lines)
    return ["", f"<details><summary>{count}</summary>", "", *head, *rows, "", "</details>"]


def _line(line: CostLine, estimate: Estimate) -> str:
    quantity = line.basis or f"{line.quantity.normalize():,f} {line.unit}"
    return row(code(estimate.names.get(line.urn, "")), code(line.name), code(quantity), money(line.monthly))


def _rest_of_lines(left: Sequence[CostLine]) -> str:
    return row(f"{len(left):,} more lines", "", "", money(sum((line.monthly for line in left), Decimal(0))))
