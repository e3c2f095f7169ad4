"""Charts of a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucluster.core.documents.charts import Bar, Bars, Figure, Mark, Panel, figure
from gpucluster.cost.documents.charts import amount_bar, amounts_range
from gpucluster.cost.documents.text import plain_number
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.labels import Group, Grouping
from gpucluster.cost.estimate.teams import TeamCost, team_costs
from gpucluster.cost.pricing.model import Part, committed_sum
from gpucluster.cost.pricing.money import money, percent, ranged
from gpucluster.cost.purchasing import Options


def report_figures(estimate: Estimate, groupings: Sequence[Grouping], options: Options | None) -> Iterator[Figure]:
    """The range of the month, the parts, the teams, the labels, and the purchase options."""
    total = estimate.monthly.expected
    yield _range(estimate)
    yield _bars("parts", "By part, a month", _parts(estimate))
    if teams := team_costs(estimate):
        rows = [
            Bar(
                team.name,
                team.monthly,
                ranged(team.monthly, team.gap),
                _share(team.monthly, total),
                "; ".join(filter(None, _team(team))),
            )
            for team in teams
        ]
        yield _bars("teams", "By team, a month", rows)
    if groupings:
        names = ", ".join(grouping.label for grouping in groupings)
        panels = [_label(grouping, total) for grouping in groupings]
        yield Figure("labels", "By label, a month", f"The same total, split by {names}.", panels, choice=True)
    if options is not None:
        from gpucluster.cost.documents.options.options import option_figures

        yield from option_figures(options)


def _team(team: TeamCost) -> Iterator[str]:
    yield f"{team.gpus:,} GPUs, {plain_number(team.gpu_hours)} GPU-hours"
    yield "" if team.trial is None else f"{ranged(team.trial, team.trial_gap)} this trial"
    yield team.sentence


def _bars(name: str, heading: str, rows: Sequence[Bar]) -> Figure:
    chart = Bars(rows)
    return figure(name, heading, chart.text, chart)


def _share(amount: Decimal, total: Decimal) -> str:
    return percent(amount / total) if total else ""


def _range(estimate: Estimate) -> Figure:
    monthly, budget, gaps = estimate.monthly, estimate.facts.budget, estimate.gaps
    text = f"A month costs {ranged(monthly.expected, gaps.expected)}"
    if monthly.varies:
        floor, ceiling = ranged(monthly.floor, gaps.floor), ranged(monthly.ceiling, gaps.ceiling)
        text += f" as expected, {floor} where autoscaled pools are empty, {ceiling} where they are full"
    else:
        text += "; nothing in it is autoscaled"
    limit = None if budget is None else Mark("Budget", budget.monthly, money(budget.monthly))
    text += f"; the budget is {limit.shown}." if limit else "; no budget is set."
    return figure("range", "Floor, expected, ceiling", text, amounts_range(monthly, gaps, text, limit))


def _parts(estimate: Estimate) -> list[Bar]:
    rows: list[Bar] = []
    for part in estimate.parts:
        expected, gap = part.monthly.expected, estimate.gaps.part(part.name)
        if expected or gap.missing or part.monthly.varies:
            share = _share(expected, estimate.monthly.expected)
            rows.append(amount_bar(part.name, expected, gap, share, _aside(part)))
    unpriced = sorted(estimate.unpriced_parts - {part.name for part in estimate.parts})
    return [*rows, *(amount_bar(name, None, estimate.gaps.part(name)) for name in unpriced)]


def _aside(part: Part) -> str:
    monthly = part.monthly
    notes = [f"floor {money(monthly.floor)}, ceiling {money(monthly.ceiling)}"] if monthly.varies else []
    if committed := committed_sum(part.lines):
        notes.append(f"of which committed elsewhere: {money(committed)}")
    return "; ".join(notes)


def _label(grouping: Grouping, total: Decimal) -> Panel:
    chart = Bars([_group(group, total) for group in grouping.groups if group.monthly.expected or not group.complete])
    return Panel(chart, grouping.label, chart.text)


def _group(group: Group, total: Decimal) -> Bar:
    expected = group.monthly.expected
    return amount_bar(group.value, expected, group.gap, _share(expected, total))
