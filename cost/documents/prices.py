"""Rows of the price book, and findings of its check."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from pydantic import Field, ValidationInfo, field_validator

from gpucluster.core.documents.document import Document, Notes, counted, table
from gpucluster.core.documents.model import Model, Versioned
from gpucluster.cost.documents.json_schema import Amount, Answer
from gpucluster.cost.prices import PriceRow
from gpucluster.cost.prices.check import Finding


class Price(Model):
    provider: str
    region: str
    sku: str
    unit: str
    purchase: str
    term: str
    usd_per_unit: Amount
    as_of: str
    confidence: str
    source: str
    note: str
    basis: str
    second_opinion: bool = Field(validation_alias="alt")

    @field_validator("confidence", mode="before")
    @classmethod
    def _on_the_day(cls, of: object, info: ValidationInfo) -> object:
        return of(info.context) if callable(of) else of


class Prices(Answer):
    """Rows of the price book, yours first."""

    prices: list[Price]


def prices_document(rows: Sequence[PriceRow], today: datetime.date) -> Document:
    """today: the date for judging their confidence."""
    found = Prices.model_validate({"prices": rows}, context=today)
    fields = [price.model_dump() for price in found.prices]
    columns = [*Price.model_fields][:-2]
    shown = columns[:-1]
    stacked = [shown.index(name) for name in ("source", "confidence", "as_of", "unit", "provider")]
    rows_shown = [[row[name] for name in shown] for row in fields]
    cells = table(shown, rows_shown, left=range(len(shown)), wide=None, stacked=stacked)
    return Document(
        title=f"{counted(len(rows), 'price')} in USD per unit, before tax and discounts",
        sections=lambda: [cells],
        model=lambda: found,
        rows=lambda: (columns, fields),
    )


class Problem(Model):
    kind: str
    matters: bool
    what: str


class Checked(Versioned):
    """What a check of the price book found."""

    prices: int
    findings: list[Problem]


def check_document(found: Sequence[Finding], prices: int, providers: int) -> Document:
    """A line for each finding."""
    matter = sum(finding.matters for finding in found)
    marks = [f"{'!' if one.matters else ' '} {one.kind}" for one in found]
    counts = f"{matter} that matter (!), {len(found) - matter} good to know"
    notes = Notes("", [one.what for one in found], marks)
    closing = f"{prices:,} prices of {providers} providers; findings: {counts}"
    return Document(
        title="",
        sections=lambda: [notes, closing] if found else [closing],
        model=lambda: Checked.model_validate({"prices": prices, "findings": found}),
    )
