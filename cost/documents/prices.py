"""Rows of the price book, and findings of its check."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from pydantic import Field, ValidationInfo, field_validator

from gpucluster.core.documents.document import Document, Notes, Section, counted, table
from gpucluster.core.documents.model import Model, Versioned
from gpucluster.cost.comparison.offers import Offer, per_1000_tflops
from gpucluster.cost.documents.json_schema import MILLIONTH, Amount, Answer
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


class Gpu(Model):
    """A GPU by the hour, on demand, before tax."""

    gpu: str
    provider: str
    sku: str
    region: str
    form: str = Field(description="sxm, pcie, nvl; empty if unknown")
    fabric: str = Field(description="empty if no source states one")
    usd_per_gpu_hour: Amount
    usd_per_1000_tflops: Amount | None = Field(description="USD per hour of 1,000 TF32 TFLOPS; null for other forms")
    as_of: str
    old: bool = Field(description="more than 90 days old")
    source: str


class Gpus(Answer):
    """What the market asks for a GPU by the hour, cheapest first."""

    gpus: list[Gpu]


def gpus_document(
    found: Mapping[str, Sequence[Offer]], tflops: Mapping[str, Decimal], today: datetime.date
) -> Document:
    """found: GPU model -> its offers. tflops: GPU model in SXM form -> TF32 TFLOPS of one."""
    rows = [_gpu(offer, tflops, today) for offers in found.values() for offer in offers]

    def sections() -> Iterator[Section]:
        heads = ("Offer", "$/GPU-hour", "per 1,000 TFLOPS", "Fabric", "Price of")
        for gpu in found:
            yield f"{gpu.upper()}, {tflops[gpu]:,f} TF32 TFLOPS in SXM form"
            cells = [
                (
                    f"{one.provider} {one.sku}{'' if one.region == 'global' else f', {one.region}'}",
                    f"${one.usd_per_gpu_hour:.2f}",
                    "" if one.usd_per_1000_tflops is None else f"${one.usd_per_1000_tflops:.2f}",
                    one.fabric or one.form,
                    f"{one.as_of}{' (old)' if one.old else ''}",
                )
                for one in rows
                if one.gpu == gpu
            ]
            yield table(heads, cells, left=(0, 3, 4))
        if old := sum(one.old for one in rows):
            yield f"{old} of {len(rows)} prices are over 90 days old or undated: ask before you decide"

    return Document(
        title="GPUs by the hour, on demand, in USD before tax: machines alone, without storage, traffic and support",
        sections=sections,
        model=lambda: Gpus.model_validate({"gpus": rows}),
        rows=lambda: ([*Gpu.model_fields], [one.model_dump() for one in rows]),
    )


def _gpu(offer: Offer, tflops: Mapping[str, Decimal], today: datetime.date) -> Gpu:
    per_1000 = per_1000_tflops(offer.usd, tflops[offer.gpu]).quantize(MILLIONTH) if offer.form == "sxm" else None
    return Gpu(
        gpu=offer.gpu,
        provider=offer.provider,
        sku=offer.sku,
        region=offer.row.region,
        form=offer.form,
        fabric=offer.fabric,
        usd_per_gpu_hour=offer.usd,
        usd_per_1000_tflops=per_1000,
        as_of=offer.row.as_of,
        old=offer.old(today),
        source=offer.row.source,
    )
