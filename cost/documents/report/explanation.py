"""One line of a report in full: derivation of its amount, and source of its price."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.cost.documents.report.model import line_json
from gpucluster.cost.documents.report.table import plain_number
from gpucluster.cost.documents.words.plain import SCHEMA_VERSION
from gpucluster.cost.documents.words.unpriced import bound_json, bound_words
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.explain import Explained
from gpucluster.cost.model import CostLine
from gpucluster.cost.money import money, unit_price
from gpucluster.cost.prices.row import FRESH_DAYS, as_of_date
from gpucluster.cost.render.layout import WIDEST, Layout

_LABEL: Final = 12


def explanation_text(found: Explained, estimate: Estimate, today: datetime.date, width: int = WIDEST) -> str:
    """Lines, and free and unpriced items, one block each. today: the date for judging prices."""
    layout = Layout(width)
    blocks = [_block(number, line, estimate, today, layout) for number, line in found.lines]
    for item in found.free:
        head = f"{estimate.names.get(item.urn, item.urn)} ({item.type}): free"
        blocks.append([head, *_row("why", item.why, layout), *_row("source", item.source, layout)])
    for item in found.not_priced:
        head = f"{estimate.names.get(item.urn, item.urn)} ({item.type}): not priced, not in the total"
        own = _row("own price", f"{item.own_row},...", layout) if item.own_row else ()
        bound = _row("bound", bound_words(item).removeprefix("bound: "), layout)
        blocks.append([head, *_row("why", item.reason, layout), *bound, *own])
    return "\n\n".join("\n".join(block) for block in blocks)


def explanation_json(found: Explained, estimate: Estimate) -> dict[str, Any]:
    """The same for machines: each line as in `gpucluster cost report --format json`, with its number."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "lines": [{"number": number, **line_json(line, estimate)} for number, line in found.lines],
        "free": [{"resource": item.urn, "why": item.why, "source": item.source} for item in found.free],
        "not_priced": [
            {
                "resource": item.urn,
                "reason": item.reason,
                "own_price_row": item.own_row,
                "bound": bound_json(item),
            }
            for item in found.not_priced
        ],
    }


def _block(number: int, line: CostLine, estimate: Estimate, today: datetime.date, layout: Layout) -> list[str]:
    rows = [f"{number}. {line.name} ({estimate.names.get(line.urn, '')}): {money(line.monthly)} a month"]
    rows.append(f"  {'resource':<{_LABEL}} {line.urn}")  # one word, never wrapped
    for label, text in _facts(line, today):
        rows += _row(label, text, layout)
    return rows


def _facts(line: CostLine, today: datetime.date) -> Iterator[tuple[str, str]]:
    yield "part", line.part
    quantity, price = f"{plain_number(line.quantity)} {line.unit}", unit_price(line.unit_price)
    basis = f"{line.basis} = " if line.basis and line.basis != quantity else ""
    if line.paid_by:
        yield "formula", f"{basis}{quantity}, paid for by {line.paid_by}: $0.00 a month of its own"
    else:
        yield "formula", f"{basis}{quantity} x {price} = {money(line.monthly)}, rounded to the cent"
    if line.spend == "committed-elsewhere":
        yield "committed", "elsewhere: bought outside this stack, and part of its total"
    if line.idle:
        yield "idle", f"{plain_number(line.idle)} {line.unit} are paid for but unused here"
    if line.upfront:
        yield "upfront", f"{money(line.upfront)} for this trial, part of its total"
    if line.autoscaled:
        ceiling = line.ceiling if isinstance(line.ceiling, str) else f"{plain_number(line.ceiling)} x {price} = "
        most = "" if isinstance(line.ceiling, str) else money(line.monthly_ceiling)
        yield "floor", f"{plain_number(line.floor)} x {price} = {money(line.monthly_floor)}"
        yield "ceiling", f"{ceiling}{most}"
    term = f" {line.term}" if line.term else ""
    if not line.paid_by:
        yield "price", f"{price} per {line.unit}, {line.region} {line.purchase.replace('_', '-')}{term}"
    yield "source", line.source or "none"
    if line.as_of:
        yield "date", f"{line.as_of}{_age(line.as_of, today)}"
    yield "confidence", f"{line.confidence}: {_WHY[line.confidence]}"
    yield "assumption", line.assumption or "none"


_WHY: Final = {
    "high": f"your own, or an official price at most {FRESH_DAYS} days old",
    "medium": f"an official price, more than {FRESH_DAYS} days old",
    "low": "computed, from a third party, a second opinion, or dated by year only",
}


def _age(as_of: str, today: datetime.date) -> str:
    day = as_of_date(as_of)
    if day is None:
        return ""
    days = (today - day).days
    return ", 1 day ago" if days == 1 else f", {days:,} days ago"


def _row(label: str, text: str, layout: Layout) -> Sequence[str]:
    """A label and its text, with continuation lines aligned to the first one."""
    return layout.wrapped(f"  {label:<{_LABEL}}", text)
