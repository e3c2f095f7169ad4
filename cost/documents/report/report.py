"""`gpucluster cost report` and the table of a preview: lines by part, totals, items not included, and prices.

Every unit price carries a mark, and the last list gives the source and date of the price for each mark. Amounts shown
are those of the lines, so each column can be added up by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any

from gpucluster.core.documents.document import Comment, Document, Notes, Row, Section, Table, counted, sentence
from gpucluster.core.program.closing import OUTPUT_VARIABLE
from gpucluster.cost.documents.text import (
    USAGE_HEADING,
    basis,
    coverage,
    fresh_dollars,
    idle_prices,
    not_considered,
    plain_number,
    price_dates,
    unpriced_items,
    usage_count,
    usage_rates,
)
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.labels import Grouping
from gpucluster.cost.estimate.teams import team_costs
from gpucluster.cost.prices import OWN_ROW, PRICES_VARIABLE
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, NotPriced, Part
from gpucluster.cost.pricing.money import change, how_known, money, ranged, unit_price

if TYPE_CHECKING:  # slow to import, and only pages show them
    from gpucluster.core.documents.charts import Figure
    from gpucluster.cost.purchasing import Options

_HEADS = ("", "quantity", "unit price", "", "$/month")
_MOST_LABELS = 3
"""Labels in a comment."""


def report_document(
    estimate: Estimate,
    title: str = "Cost",
    stack: str = "",
    groupings: Sequence[Grouping] = (),
    options: Options | None = None,
    *,
    brief: bool = False,
) -> Document:
    """The whole report. groupings: by label. options: the purchase options, for a page. brief: only the lines and what
    has no price, for a terminal on which the closing block follows.
    """

    def figures() -> Iterable[Figure]:
        from gpucluster.cost.documents.report.report_figures import report_figures

        return report_figures(estimate, groupings, options)

    def model() -> Any:
        from gpucluster.cost.documents.report.report_json import report_json

        return report_json(estimate, groupings)

    verdict = budget_verdict(estimate)
    return Document(
        title=title,
        basis=basis(estimate),
        answer="" if brief else _answer(estimate, stack),
        outcome="" if verdict is None else verdict.outcome.split()[0],
        sections=lambda: _brief(estimate) if brief else _sections(estimate, groupings),
        model=model,
        rows=lambda: _rows(estimate, groupings),
        figures=figures,
        comment=Comment(marker=("cost report", stack)),
    )


def _answer(estimate: Estimate, stack: str) -> str:
    monthly, gap = estimate.monthly, estimate.gaps.expected
    known = how_known(monthly.expected, gap)
    by_usage = usage_count(estimate)
    rest = f" before usage. {by_usage}." if by_usage and not monthly.expected else "."
    amount = f"{ranged(monthly.expected, gap)} a month{f' ({known})' if known else ''}"
    fresh = "" if estimate.fresh_share is None else f" {fresh_dollars(estimate.fresh_share)}."
    return f"{stack or 'This stack'} costs {amount}{rest}{fresh}"


def _sections(estimate: Estimate, groupings: Sequence[Grouping]) -> Iterator[Section]:
    facts, gpus = estimate.facts, estimate.facts.training_gpus
    if facts.what_if:
        yield Notes("What if", facts.what_if)
    marks = _Marks()
    yield _lines(estimate, marks)
    verdict = budget_verdict(estimate)
    if verdict is not None:
        yield f"Budget: {verdict.sentence}"
    elif gpus is not None:
        yield "Budget: no budget stated"
    if teams := _teams(estimate):
        yield teams
    yield from (_label(grouping) for grouping in groupings[:_MOST_LABELS])
    yield from _missing(estimate)
    if rates := usage_rates(estimate):
        yield Notes(USAGE_HEADING, rates, folded=True)
    if estimate.assumptions:
        yield Notes("Assumptions", estimate.assumptions, folded=True)
    if marks.prices:
        yield Notes("Prices", [*marks.prices], [*marks.prices.values()], folded=True)
    yield ". ".join(filter(None, [coverage(estimate), price_dates(estimate)])) + "."


def _brief(estimate: Estimate) -> Iterator[Section]:
    if estimate.facts.what_if:
        yield Notes("What if", estimate.facts.what_if)
    table = _lines(estimate, _Marks())
    rows = [replace(row, cells=(*row.cells[:3], row.cells[4])) for row in table.rows]
    yield replace(table, heads=(*_HEADS[:3], _HEADS[4]), rows=rows, sums=())
    if estimate.not_priced:
        names = dict.fromkeys(f"{item.type} {estimate.names.get(item.urn, '')}" for item in estimate.not_priced)
        yield Notes(f"Not priced ({OUTPUT_VARIABLE}=full has reasons and bounds)", sorted(names))
    yield from _not_considered(estimate)


class _Marks:
    """Numbers the distinct prices in order of appearance."""

    def __init__(self) -> None:
        self.prices: dict[str, str] = {}

    def mark(self, line: CostLine) -> str:
        return self.prices.setdefault(price_of(line), f"[{len(self.prices) + 1}]")


def price_of(line: CostLine) -> str:
    """A unit price, what it is the price of, and its source, date and confidence."""
    if line.paid_by:
        return line.source
    listed = "" if line.list_price is None else f" (list price {unit_price(line.list_price)})"
    source = ", ".join(filter(None, [line.source, line.as_of]))
    return (
        f"{unit_price(line.unit_price)} per {line.unit}{listed}, {line.region} {bought(line)}: {source} "
        f"({line.confidence})"
    )


def bought(line: CostLine) -> str:
    """`on-demand`, `savings-plan 1y`."""
    return f"{line.purchase.replace('_', '-')}{f' {line.term}' if line.term else ''}"


def _lines(estimate: Estimate, marks: _Marks) -> Table:
    shown = sum(line.shown for line in estimate.lines)
    return Table(
        heads=_HEADS,
        rows=[row for part in estimate.parts for row in _part(part, estimate, marks)],
        sums=[Row((name, "", "", "", amount), below, strong) for name, amount, strong, *below in _totals(estimate)],
        detail=counted(shown, "line"),
        more=_omitted,
    )


def _omitted(rows: Sequence[Row]) -> str:
    lines = [row for row in rows if not row.strong]
    found, what = (lines, "more line") if lines else (rows, "more part")
    return f"{counted(len(found), what)}, together {money(sum((row.amount for row in found), Decimal(0)))}"


def _part(part: Part, estimate: Estimate, marks: _Marks) -> Iterator[Row]:
    """Rows of one component; usage assumed to be zero is listed under the assumptions and does not make a part."""
    lines = [line for line in part.lines if line.shown]
    if not lines and part.name not in estimate.unpriced_parts:
        return
    monthly, gap = part.monthly, estimate.gaps.part(part.name)
    below: list[str] = []
    if gap.missing and monthly.expected:
        below.append(f"of which priced {money(monthly.expected)}")
    if monthly.varies:
        ceiling = ranged(monthly.ceiling, estimate.gaps.part(part.name, lambda of: of.ceiling))
        below.append(f"floor {money(monthly.floor)}, ceiling {ceiling}")
    yield Row((part.name, "", "", "", ranged(monthly.expected, gap)), below, strong=True, amount=monthly.expected)
    yield from (_line(line, estimate, marks) for line in lines)


def _line(line: CostLine, estimate: Estimate, marks: _Marks) -> Row:
    resource = estimate.names.get(line.urn, "")
    below: list[str] = []
    if line.autoscaled:
        below.append(f"floor {money(line.monthly_floor)}, ceiling {money(line.monthly_ceiling)}")
    if line.spend == "committed-elsewhere" and not line.paid_by:
        below.append(_committed(line))
    cells = (
        f"{line.name} ({resource})" if resource else line.name,
        line.basis or f"{plain_number(line.quantity)} {line.unit}",
        "reserved" if line.paid_by else unit_price(line.unit_price),
        marks.mark(line),
        money(line.monthly),
    )
    return Row(cells, below, amount=line.monthly)


def _committed(line: CostLine) -> str:
    """Details of a line of capacity bought elsewhere."""
    notes = ["committed elsewhere"]
    if line.idle:
        idle, held = (plain_number(hours / HOURS_PER_MONTH) for hours in (line.idle, line.quantity))
        notes.append(f"{idle} of {held} idle")
    if line.upfront:
        notes.append(f"this trial, paid upfront: {money(line.upfront)}")
    return "; ".join(notes)


def _totals(estimate: Estimate) -> Iterator[tuple[Any, ...]]:
    """(name, amount, whether it is a main one, texts below it)."""
    monthly, hourly, gaps = estimate.monthly, estimate.hourly, estimate.gaps
    known = how_known(monthly.expected, gaps.expected)
    by_usage = usage_count(estimate)
    yield "Total per month", ranged(monthly.expected, gaps.expected), True, *filter(None, (known, by_usage))
    if known and monthly.expected:
        yield "of which priced", money(monthly.expected), False
    if monthly.varies:
        yield "floor", ranged(monthly.floor, gaps.floor), False
        yield "ceiling", ranged(monthly.ceiling, gaps.ceiling), False
    if estimate.listed != monthly.expected:
        yield "at list prices", ranged(estimate.listed, gaps.expected), False
        yield "discounts", change(monthly.expected - estimate.listed), False
    if estimate.committed_monthly:
        yield "of which committed elsewhere", money(estimate.committed_monthly), False
    yield "Total per hour", ranged(hourly.expected, gaps.hourly), True
    trial, days = estimate.trial_total, estimate.facts.duration_days
    if trial is not None and days is not None:
        yield f"This trial, {plain_number(days)} days", ranged(trial, gaps.trial), True
        if estimate.upfront:
            yield "of which paid upfront", money(estimate.upfront), False
    per_gpu, gpus = estimate.per_training_gpu_hour, estimate.facts.training_gpus
    if per_gpu is not None and gpus is not None:
        outside = sorted(part.name for part in estimate.parts if not part.training)
        without = f", without {', '.join(outside)}" if outside else ""
        shown = "unknown" if estimate.training_unknown else ranged(per_gpu, gaps.gpu_hour)
        yield f"Per training GPU-hour, {plain_number(gpus)} GPUs{without}", shown, True
    for name, sizes in estimate.per_slice_hour.items():
        for each in estimate.facts.slices[name]:
            yield f"Per slice-hour of {name}, {plain_number(each.count)} x {each.size}", money(sizes[each.size]), True


def _teams(estimate: Estimate) -> Table | None:
    teams = team_costs(estimate)
    rows = [
        Row(
            (team.name, f"{team.gpus:,}", plain_number(team.gpu_hours), money(team.hourly),
             ranged(team.monthly, team.gap),
             *([] if team.trial is None else [ranged(team.trial, team.trial_gap)])),
            [sentence(team.sentence)] if team.sentence else (),
            amount=team.monthly,
        )
        for team in teams
    ]  # fmt: skip
    trial = [] if estimate.trial_total is None else ["$ this trial"]
    heads = ("team", "GPUs", "GPU-hours a month", "$/hour", "$/month", *trial)
    return (
        Table(heads=heads, rows=rows, more=lambda rest: counted(len(rest), "more team"), drawn=True, stacked=(2, 3))
        if rows
        else None
    )


def _label(grouping: Grouping) -> Table:
    rows = [
        Row((group.value, ranged(group.monthly.expected, group.gap)), amount=group.monthly.expected)
        for group in grouping.groups
    ]
    return Table(heads=(grouping.label, "$/month"), rows=rows, more=_omitted_groups, drawn=True)


def _omitted_groups(rows: Sequence[Row]) -> str:
    return f"{len(rows):,} more, together {money(sum((row.amount for row in rows), Decimal(0)))}"


def _not_considered(estimate: Estimate) -> Iterator[Section]:
    if estimate.not_considered:
        yield Notes("Set, but not considered", not_considered(estimate))


def _missing(estimate: Estimate) -> Iterator[Section]:
    """Declared or existing items that the total lacks."""
    if estimate.facts.not_built:
        yield Notes("Not built, not in the total", estimate.facts.not_built)
    if estimate.not_priced:
        rows = sorted({item.own_row for item in estimate.not_priced if item.own_row})
        how = f"To set prices of your own: --prices FILE or {PRICES_VARIABLE}=FILE, a CSV with"
        lines = [how, OWN_ROW, *(f"{row},..." for row in rows)] if rows else []
        yield Notes("Not priced, not in the total", unpriced_items(estimate), lines=lines)
    yield from _not_considered(estimate)
    if estimate.idle_prices:
        yield Notes("Your prices without a line here", idle_prices(estimate))


def _rows(estimate: Estimate, groupings: Sequence[Grouping]) -> tuple[Sequence[str], Iterable[Mapping[str, Any]]]:
    """A row for each line, and for each unpriced item, which is never zero.

    line: its number, from 1. status: `priced`, `depends on usage` if that is zero, `not priced`, with its reason and
    without amounts, or `not considered`, with the inputs of a type. monthly_least, monthly_most: bounds of an unpriced
    item in USD per month, by the rule in `bound`; not a price, and in no sum. For each grouping, the group of each row
    in a further column, `label:` and the label. With teams, a row for each at the end: status `share of a team`, its
    name, and its part of all lines in team_monthly and team_this_trial, so that no other column counts it twice.
    """
    from gpucluster.cost.documents.report.report_json import Line, line_fields

    labels = {f"label:{grouping.label}": grouping.by_urn for grouping in groupings}
    teams = team_costs(estimate)
    shares = ("team_monthly", "team_this_trial") if teams else ()
    columns = (
        "line", "status", *Line.model_fields, "reason", "monthly_least", "monthly_most", "bound", *labels, *shares
    )  # fmt: skip

    def rows() -> Iterator[Mapping[str, Any]]:
        priced = zip(estimate.lines, line_fields(estimate.lines, estimate.names), strict=True)
        for number, (line, fields) in enumerate(priced, 1):
            status = "depends on usage" if line.by_usage else "priced"
            yield {"line": number, "status": status, **fields, "usage": " ".join(line.usage)}
        for item in sorted(estimate.not_priced, key=lambda item: item.urn):
            yield _unpriced_row(item, estimate)
        for text in not_considered(estimate):
            yield {"status": "not considered", "reason": text}

    labelled = (
        {**row, **{name: of[row["resource"]] for name, of in labels.items() if "resource" in row}} for row in rows()
    )
    of_teams = (
        {"status": "share of a team", "name": team.name, "team_monthly": team.monthly, "team_this_trial": team.trial}
        for team in teams
    )
    return columns, chain(labelled, of_teams)


def _unpriced_row(item: NotPriced, estimate: Estimate) -> dict[str, Any]:
    from gpucluster.cost.documents.report.report_json import Unpriced

    found = Unpriced.model_validate(item).model_dump()
    bound: dict[str, Any] = found.pop("bound") or {}
    least, most = (bound.get(end, {}).get("expected") for end in ("monthly_least", "monthly_most"))
    ends = {"monthly_least": least, "monthly_most": most, "bound": bound["rule"]} if bound else {}
    kept = {name: bound.get(name) for name in ("name", "quantity", "unit", "basis")}
    return {**found, "status": "not priced", "resource_name": estimate.names.get(item.urn, ""), **kept, **ends}
