"""The estimate for users: plain text that needs no colour.

Every unit price carries a mark, and the block below the table gives the source and date of the price for each mark.
Amounts shown are those of the lines, so each column can be added up by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.documents.words.basis import basis
from gpucluster.cost.documents.words.by_usage import USAGE_HEADING, count_by_usage, rates_by_usage
from gpucluster.cost.documents.words.closing import coverage_words, price_words
from gpucluster.cost.documents.words.unpriced import unpriced_words
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Part
from gpucluster.cost.money import change, how_known, money, ranged, unit_price
from gpucluster.cost.prices import OWN_ROW, PRICES_VARIABLE
from gpucluster.cost.render.layout import WIDEST, Layout
from gpucluster.cost.teams import NO_TEAM, team_costs
from gpucluster.cost.verdict import budget_verdict

_BELOW = "│    "


def as_table(estimate: Estimate, title: str = "Cost", width: int = WIDEST) -> str:
    """The whole report: lines by part, totals, items not included, and sources of the prices.

    width: characters per line, from `width_for`.
    """
    marks, layout = _Marks(), Layout(width)
    out = layout.under("", f"{title}: {basis(estimate)}")
    for said in estimate.facts.what_if:
        out += layout.wrapped("What if:", said)
    out += ["", layout.row("", "", "quantity", "unit price", "", "$/month")]
    for part in estimate.parts:
        if rows := list(_part(part, estimate, marks, layout)):
            out.extend([*rows, ""])
    out.extend(_totals(estimate, layout))
    out.extend(_missing(estimate, layout))
    out.extend(marks.block(layout))
    out.extend(_closing(estimate, layout))
    return "\n".join(out)


class _Marks:
    """Numbers the distinct prices in order of appearance."""

    def __init__(self) -> None:
        self._of: dict[tuple[object, ...], int] = {}
        self._lines: list[CostLine] = []

    def mark(self, line: CostLine) -> str:
        key = (line.source, line.as_of, line.unit_price, line.unit, line.region, line.purchase, line.term)
        if key not in self._of:
            self._of[key] = len(self._of) + 1
            self._lines.append(line)
        return f"[{self._of[key]}]"

    def block(self, layout: Layout) -> Iterator[str]:
        if self._lines:
            yield "Prices"
            for number, line in enumerate(self._lines, 1):
                if line.paid_by:
                    yield from layout.wrapped(f"[{number}]", line.source)
                    continue
                term = f" {line.term}" if line.term else ""
                bought = f"{line.region} {line.purchase.replace('_', '-')}{term}"
                listed = "" if line.list_price is None else f" (list price {unit_price(line.list_price)})"
                what = f"{unit_price(line.unit_price)} per {line.unit}{listed}, {bought}"
                source = ", ".join(filter(None, [line.source, line.as_of]))
                yield from layout.wrapped(f"[{number}]", f"{what}: {source} ({line.confidence})")
            yield ""


def _part(part: Part, estimate: Estimate, marks: _Marks, layout: Layout) -> Iterator[str]:
    """Rows of one component; usage assumed to be zero is listed under the assumptions and does not make a part."""
    shown = [line for line in part.lines if line.shown]
    if not shown and part.name not in estimate.unpriced_parts:
        return
    yield part.name
    for line in shown:
        resource = estimate.names.get(line.urn, "")
        yield layout.row(
            f"├─ {line.name}",
            resource,
            line.basis or f"{plain_number(line.quantity)} {line.unit}",
            "reserved" if line.paid_by else unit_price(line.unit_price),
            marks.mark(line),
            money(line.monthly),
        )
        if line.autoscaled:
            yield from layout.under(_BELOW, f"floor {money(line.monthly_floor)}, ceiling {money(line.monthly_ceiling)}")
        if line.spend == "committed-elsewhere" and not line.paid_by:
            yield from layout.under(_BELOW, committed_words(line))
    monthly = part.monthly
    gaps, gap = estimate.gaps, estimate.gaps.part(part.name)
    if monthly.expected or not gap.missing:  # unpriced items never read as zero
        yield from layout.total("└─ subtotal", money(monthly.expected))
    if gap.missing:
        yield from layout.total("└─ including unpriced items", ranged(monthly.expected, gap))
    if monthly.varies:
        ceiling = ranged(monthly.ceiling, gaps.part(part.name, lambda of: of.ceiling))
        yield f"     floor {money(monthly.floor)}, ceiling {ceiling}"


def _totals(estimate: Estimate, layout: Layout) -> Iterator[str]:
    monthly, hourly, gaps = estimate.monthly, estimate.hourly, estimate.gaps
    if estimate.listed != monthly.expected:
        yield from layout.total("At list prices", ranged(estimate.listed, gaps.expected))
        yield from layout.total("  discounts", change(monthly.expected - estimate.listed))
    yield from layout.total("Total per month", ranged(monthly.expected, gaps.expected))
    if known := how_known(monthly.expected, gaps.expected):
        if monthly.expected:
            yield from layout.total("  of which priced", money(monthly.expected))
        yield from layout.under("  ", known)
    if monthly.varies:
        yield f"  floor {ranged(monthly.floor, gaps.floor)}, ceiling {ranged(monthly.ceiling, gaps.ceiling)}"
    if by_usage := count_by_usage(estimate):
        yield f"  {by_usage}"
    if estimate.committed_monthly:
        yield from layout.total("  of which committed elsewhere", money(estimate.committed_monthly))
    yield from layout.total("Total per hour", ranged(hourly.expected, gaps.hourly))
    trial, days = estimate.trial_total, estimate.facts.duration_days
    if trial is not None and days is not None:
        yield from layout.total(f"This trial, {plain_number(days)} days", ranged(trial, gaps.trial))
        if estimate.upfront:
            yield from layout.total("  of which paid upfront", money(estimate.upfront))
    per_gpu, gpus = estimate.per_training_gpu_hour, estimate.facts.training_gpus
    if per_gpu is not None and gpus is not None:
        outside = sorted(part.name for part in estimate.parts if not part.training)
        without = f", without {', '.join(outside)}" if outside else ""
        shown = "unknown" if estimate.training_unknown else ranged(per_gpu, gaps.gpu_hour)
        yield from layout.total(f"Per training GPU-hour, {plain_number(gpus)} GPUs{without}", shown)
    for name, sizes in estimate.per_slice_hour.items():
        for each in estimate.facts.slices[name]:
            text = f"Per slice-hour of {name}, {plain_number(each.count)} x {each.size}"
            yield from layout.total(text, money(sizes[each.size]))
    verdict = budget_verdict(estimate)
    if verdict is not None:
        yield from layout.wrapped("Budget:", verdict.sentence)
    elif gpus is not None:
        yield from layout.wrapped("Budget:", "no budget stated")
    for team in team_costs(estimate):
        name = f"Team {team.name}" if team.name != NO_TEAM else "No team"
        yield from layout.total(f"{name}, {team.gpus:,} GPUs", ranged(team.monthly, team.gap))
        hours = f"{money(team.hourly)} an hour, {plain_number(team.gpu_hours)} GPU-hours a month"
        yield from layout.under("  ", "; ".join(filter(None, (team.sentence, hours))))
    yield ""


def _missing(estimate: Estimate, layout: Layout) -> Iterator[str]:
    """Declared or existing items that the total lacks, and the assumptions of the total."""
    if estimate.facts.not_built:
        yield "Not built, not in the total"
        for text in estimate.facts.not_built:
            yield from layout.wrapped("  -", text)
        yield ""
    if estimate.not_priced:
        yield "Not priced, not in the total"
        for item in sorted(estimate.not_priced, key=lambda item: item.urn):
            yield from layout.wrapped("  -", f"{item.type} {estimate.names.get(item.urn, '')}: {unpriced_words(item)}")
        if rows := dict.fromkeys(item.own_row for item in estimate.not_priced if item.own_row):
            yield from layout.under(
                "  ", f"To set prices of your own: --prices FILE or {PRICES_VARIABLE}=FILE, a CSV with"
            )
            yield from (f"    {row}" for row in (OWN_ROW, *(f"{row},..." for row in sorted(rows))))
        yield ""
    if estimate.idle_prices:
        yield "Your prices without a line here"
        for row in estimate.idle_prices:
            term = f" {row.term}" if row.term else ""
            what = f"{row.sku} {row.purchase}{term} in {row.provider} {row.region} per {row.unit}"
            yield from layout.wrapped("  -", f"{row.source.removeprefix('your price, ')}: {what}")
        yield ""
    if rates := rates_by_usage(estimate):
        yield from layout.under("", USAGE_HEADING)
        for text in rates:
            yield from layout.wrapped("  -", text)
        yield ""
    if estimate.assumptions:
        yield "Assumptions"
        for text in estimate.assumptions:
            yield from layout.wrapped("  -", text)
        yield ""


def _closing(estimate: Estimate, layout: Layout) -> Iterator[str]:
    types = sorted({item.type for item in estimate.not_priced})
    named = f": {', '.join(types)}" if types else ""
    yield from layout.under("", f"{coverage_words(estimate)}{named}")
    if words := price_words(estimate):
        yield from layout.under("", words)


def committed_words(line: CostLine) -> str:
    """Details of a line of capacity bought elsewhere."""
    notes = ["committed elsewhere"]
    if line.idle:
        idle, held = (plain_number(hours / HOURS_PER_MONTH) for hours in (line.idle, line.quantity))
        notes.append(f"{idle} of {held} idle")
    if line.upfront:
        notes.append(f"this trial, paid upfront: {money(line.upfront)}")
    return "; ".join(notes)


def plain_number(number: Decimal) -> str:
    """A number with commas and without trailing zeros."""
    return f"{number.normalize():,f}"
