"""`gpucluster cost report` as Markdown: a total, a small table, every line folded, within GitHub's limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.cost.documents.report.table import plain_number
from gpucluster.cost.documents.words.basis import basis_sentence
from gpucluster.cost.documents.words.by_usage import USAGE_HEADING, count_by_usage, rates_by_usage
from gpucluster.cost.documents.words.closing import coverage_words, price_words
from gpucluster.cost.documents.words.unpriced import unpriced_words
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import Group, Grouping
from gpucluster.cost.model import CostLine, NotPriced, Part
from gpucluster.cost.money import how_known, money, ranged
from gpucluster.cost.render.markdown import LONGEST, bytes_of, code, escaped, fitting, marker, row
from gpucluster.cost.teams import TeamCost, team_costs
from gpucluster.cost.verdict import budget_verdict

_PARTS: Final = 12_000
_GROUPS: Final = 8_000
_TEAMS: Final = 4_000
_UNPRICED: Final = 8_000
_RESTS_ON: Final = 6_000
_ROOM_FOR_THE_REST: Final = 4_000
"""Maximum bytes of the rows of each list, and of everything else."""


def report_markdown(estimate: Estimate, stack: str, groupings: Sequence[Grouping] = ()) -> str:
    """The whole report. Its order depends only on amounts and names."""
    monthly, gaps = estimate.monthly, estimate.gaps
    named = code(stack) if stack else "This stack"
    by_usage = count_by_usage(estimate)
    said = f" before usage.** {by_usage}." if by_usage and not monthly.expected else ".**"
    out = [f"**{named} costs {ranged(monthly.expected, gaps.expected)} a month{_known(estimate)}{said}", ""]
    out += ["| | $/month |", "| --- | ---: |", *_totals(estimate)]
    parts = [part for part in estimate.parts if part.monthly.expected or part.name in estimate.unpriced_parts]
    out += fitting(parts, lambda part: _part(part, estimate), _PARTS, _rest_of_parts)
    if (verdict := budget_verdict(estimate)) is not None:
        out += ["", f"Budget: {verdict.sentence}."]
    if teams := team_costs(estimate):
        out += ["", "| team | GPUs | GPU-hours a month | $/month | |", "| --- | ---: | ---: | ---: | --- |"]
        out += fitting(teams, _team, _TEAMS, lambda left: row(f"{len(left):,} more teams", "", "", "", ""))
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
    out += _folded(rates_by_usage(estimate), USAGE_HEADING, _RESTS_ON)
    assumptions = estimate.assumptions
    out += _folded(
        assumptions, "1 assumption" if len(assumptions) == 1 else f"{len(assumptions):,} assumptions", _RESTS_ON
    )
    out += _detail(estimate, LONGEST - bytes_of(out) - _ROOM_FOR_THE_REST)
    out += ["", ". ".join(filter(None, [coverage_words(estimate), price_words(estimate)])) + "."]
    out += ["", f"{basis_sentence(estimate)}.", ""]
    return "\n".join([*out, marker("cost report", stack)])


def _known(estimate: Estimate) -> str:
    known = how_known(estimate.monthly.expected, estimate.gaps.expected)
    return f" ({known})" if known else ""


def _totals(estimate: Estimate) -> Iterator[str]:
    monthly, gaps = estimate.monthly, estimate.gaps
    yield row("**Total**", f"**{ranged(monthly.expected, gaps.expected)}**")
    if gaps.expected.missing and monthly.expected:
        yield row("of which priced", money(monthly.expected))
    if monthly.varies:
        yield row("floor", ranged(monthly.floor, gaps.floor))
        yield row("ceiling", ranged(monthly.ceiling, gaps.ceiling))
    if estimate.committed_monthly:
        yield row("of which committed elsewhere", money(estimate.committed_monthly))
    yield row("per hour", ranged(estimate.hourly.expected, gaps.hourly))
    if (per_gpu := estimate.per_training_gpu_hour) is not None:
        shown = "unknown" if estimate.training_unknown else ranged(per_gpu, gaps.gpu_hour)
        yield row("per training GPU-hour", shown)
    if (trial := estimate.trial_total) is not None:
        yield row("this trial", ranged(trial, gaps.trial))
        if estimate.upfront:
            yield row("of which paid upfront", money(estimate.upfront))


def _team(team: TeamCost) -> str:
    amount = ranged(team.monthly, team.gap)
    return row(code(team.name), f"{team.gpus:,}", plain_number(team.gpu_hours), amount, team.sentence)


def _part(part: Part, estimate: Estimate) -> str:
    return row(code(part.name), ranged(part.monthly.expected, estimate.gaps.part(part.name)))


def _rest_of_parts(left: Sequence[Part]) -> str:
    return row(f"{len(left):,} more parts", money(sum((part.monthly.expected for part in left), Decimal(0))))


def _group(group: Group) -> str:
    return row(code(group.value), ranged(group.monthly.expected, group.gap))


def _rest_of_groups(left: Sequence[Group]) -> str:
    return row(f"{len(left):,} more", money(sum((group.monthly.expected for group in left), Decimal(0))))


def _unpriced(item: NotPriced, estimate: Estimate) -> str:
    return f"- {code(estimate.names.get(item.urn, ''))} ({code(item.type)}): {code(unpriced_words(item), 500)}"


def _folded(texts: Sequence[str], summary: str, most: int) -> list[str]:
    if not texts:
        return []
    shown = fitting(texts, lambda text: f"- {escaped(text)}", most, lambda left: f"- {len(left):,} more")
    return ["", f"<details><summary>{summary}</summary>", "", *shown, "", "</details>"]


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
