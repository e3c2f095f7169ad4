"""One line of a report in full: derivation of its amount, and source of its price."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Final

from pydantic import Field

from gpucluster.core.documents.document import Document, Notes, Section
from gpucluster.core.documents.model import Model
from gpucluster.cost.documents.json_schema import Answer, Between
from gpucluster.cost.documents.report.report import bought
from gpucluster.cost.documents.report.report_json import Line
from gpucluster.cost.documents.text import bounds, plain_number
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.explain import Explained
from gpucluster.cost.prices.row import FRESH_DAYS, as_of_date
from gpucluster.cost.pricing.model import CostLine
from gpucluster.cost.pricing.money import money, unit_price

_WHY: Final = {
    "high": f"your own, or an official price at most {FRESH_DAYS} days old",
    "medium": f"an official price, more than {FRESH_DAYS} days old",
    "low": "computed, from a third party, a second opinion, or dated by year only",
}


class NumberedLine(Line):
    number: int


class FreeItem(Model):
    resource: str = Field(validation_alias="urn")
    why: str
    source: str


class UnpricedItem(Model):
    resource: str = Field(validation_alias="urn")
    reason: str
    own_price_row: str = Field(validation_alias="own_row")
    bound: Between | None = Field(validation_alias="between")


class Explanation(Answer):
    """Lines as in `gpucluster cost report --format json`, with their numbers."""

    lines: list[NumberedLine]
    free: list[FreeItem]
    not_priced: list[UnpricedItem]


def explanation_document(found: Explained, estimate: Estimate, today: datetime.date) -> Document:
    """Lines, and free and unpriced items, a list each. today: the date for judging prices."""
    return Document(title="", sections=lambda: _sections(found, estimate, today), model=lambda: _json(found, estimate))


def _json(found: Explained, estimate: Estimate) -> Explanation:
    lines = [
        {"number": number, **dict(Line.model_validate(line, context=estimate.names))} for number, line in found.lines
    ]
    return Explanation.model_validate({"lines": lines, "free": found.free, "not_priced": found.not_priced})


def _sections(found: Explained, estimate: Estimate, today: datetime.date) -> Iterator[Section]:
    for number, line in found.lines:
        name = f"{number}. {line.name} ({estimate.names.get(line.urn, '')}): {money(line.monthly)} a month"
        facts = dict(_facts(line, today))
        yield Notes(name, [*facts.values()], [*facts], lines=["resource", line.urn])
    for item in found.free:
        name = f"{estimate.names.get(item.urn, item.urn)} ({item.type}): free"
        yield Notes(name, [item.why, item.source], ["why", "source"])
    for item in found.not_priced:
        name = f"{estimate.names.get(item.urn, item.urn)} ({item.type}): not priced, not in the total"
        facts = {"why": item.reason, "bound": bounds(item).removeprefix("bound: ")}
        facts |= {"own price": f"{item.own_row},..."} if item.own_row else {}
        yield Notes(name, [*facts.values()], [*facts])


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
    if not line.paid_by:
        yield "price", f"{price} per {line.unit}, {line.region} {bought(line)}"
    yield "source", line.source or "none"
    if line.as_of:
        yield "date", f"{line.as_of}{_age(line.as_of, today)}"
    yield "confidence", f"{line.confidence}: {_WHY[line.confidence]}"
    yield "assumption", line.assumption or "none"


def _age(as_of: str, today: datetime.date) -> str:
    day = as_of_date(as_of)
    if day is None:
        return ""
    days = (today - day).days
    return ", 1 day ago" if days == 1 else f", {days:,} days ago"
