"""One answer as a table, Markdown, a page, CSV and JSON, and its schema."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer, WithJsonSchema

from gpucluster.core.documents.document import Document, Notes, Section, table
from gpucluster.core.documents.model import Model, command_schema
from gpucluster.cost.documents.json_schema import Amount, Answer, text_of
from gpucluster.operate.quote import quotes
from gpucluster.operate.quote.quotes import Answer as QuotesAnswer
from gpucluster.operate.quote.racks import rack_texts
from gpucluster.operate.quote.spec_values import terms_values
from gpucluster.operate.quote.text import (
    HEADS,
    Numbered,
    cells,
    heading,
    left_out,
    missing,
    numbered,
    offered,
    sections,
)

_AmountOrEmpty = Annotated[
    Decimal | Literal[""],
    PlainSerializer(text_of),
    WithJsonSchema({"anyOf": [{"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}, {"const": ""}]}),
]


class Agreed(Model):
    """agreed terms with a cloud"""

    support: str | None = Field(default=None, exclude_if=lambda value: value is None)
    discount: int | float | None = Field(
        default=None, exclude_if=lambda value: value is None, description="share off list prices, 0 to 1"
    )
    account_usd: int | float | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="USD a month that the account spends outside the stack",
    )


class Question(Model):
    gpus: int
    hours: int
    accelerators: list[str]
    clouds: list[str]
    regions: list[str] = Field(description="regions and words for several; empty for everywhere")
    budget_usd: Amount | None = Field(description="maximum cost for the whole time")
    terms: dict[str, Agreed] = Field(description="by cloud")


class Confidence(Model):
    """USD a month of what has a price, by the confidence of the price"""

    high: Amount
    medium: Amount
    low: Amount


class QuoteRow(Model):
    """One cluster: its place, its machine and the purchase option."""

    number: int = Field(description="row number for --pick; the lowest total comes first")
    cloud: str
    region: str
    zone: str
    machine: str
    way: str = Field(description="to buy")
    nodes: int
    spares: int
    gpus: int = Field(description="that jobs can use")
    hours: int
    total_usd: Amount = Field(description="for the whole time, of what has a price")
    total_most_usd: _AmountOrEmpty = Field(description="upper bound of the total; empty if something has no bound")
    known: Literal["complete", "bounded", "unknown"] = Field(
        description="bounded: everything without a price has a bound; unknown: something has none"
    )
    without_spares_usd: _AmountOrEmpty = Field(
        description="total without the machines of spares; empty without any, for blocks and bounded machines"
    )
    usd_per_gpu_hour: Amount
    monthly_usd: Amount
    upfront_usd: Amount
    fabric_gbps: int = Field(description="of a node")
    high_confidence: Amount = Field(description="share of the upper bound, 0 to 1")
    needs: str = Field(description="prerequisites")
    listed: str = Field(description="evidence that the machine is sold there")
    hard_to_get: str
    machine_bound: str = Field(description="rule of the bound of its machines; empty if they have a price")
    machine_prices: list[str] = Field(description="date and source of each price of its machines, the oldest first")
    lost: list[str] = Field(description="against the spec")
    not_priced: list[str] = Field(description="why each price is missing")


class Quote(QuoteRow):
    """The same with its spec and the remarks of its plan."""

    confidence_usd: Confidence
    notes: list[str] = Field(description="what its plan says")
    place: dict[str, str] = Field(description="for the configuration of a stack")
    spec: dict[str, Any] = Field(description="as `gpucluster schema spec` describes it")


class LeftOut(Model):
    cloud: str
    machine: str = Field(description="empty for all")
    way: str = Field(description="empty for all")
    places: int
    why: str


class Offered(Model):
    """GPUs by the hour of another provider: no cluster, storage, network or spare"""

    gpu: str
    provider: str
    sku: str
    fabric: str = Field(description="empty if no source states one")
    usd_per_gpu_hour: Amount
    as_of: str
    old: bool = Field(description="more than 90 days old")
    source: str


class RackOffered(Model):
    """Racks or half racks of a cloud, machines alone: clusters of them are not built yet"""

    cloud: str
    accelerator: str
    machine: str = Field(description="of which a rack has several")
    racks: int = Field(description="whole and half ones, as `way` shows")
    nodes: int = Field(description="machines of all racks")
    gpus: int = Field(description="of all racks")
    architecture: str = Field(description="of the CPUs, which images must be for")
    way: str = Field(description="to buy")
    quota: str = Field(description="its name; empty if none is known")
    total_usd: Amount | None = Field(description="for the whole time; null without a price")
    usd_per_gpu_hour: Amount | None
    as_of: str
    source: str


class Quotes(Answer):
    """Clusters that match a question."""

    schema_minor: int = 1
    question: Question
    quotes: list[Quote]
    offers: list[Offered] = Field(description="the cheapest of each provider and GPU, on demand")
    racks: list[RackOffered] = Field(
        default_factory=list[RackOffered], exclude_if=lambda value: not value, description="if the question names any"
    )
    left_out: list[LeftOut]


def answer_json(answer: quotes.Answer, today: datetime.date) -> Quotes:
    """Every quote with its spec and the remarks of its plan."""
    asked = answer.question
    return Quotes.model_validate(
        {
            "question": {
                "gpus": asked.gpus,
                "hours": asked.hours,
                "accelerators": asked.accelerators,
                "clouds": asked.clouds,
                "regions": sorted(asked.places),
                "budget_usd": asked.budget,
                "terms": {cloud: terms_values(agreed) for cloud, agreed in asked.terms.items()},
            },
            "quotes": [
                {
                    **dict(quote_row(one)),
                    "confidence_usd": one.quote.estimate.by_confidence,
                    "not_priced": [item.reason for item in one.quote.estimate.not_priced],
                    "notes": one.quote.candidate.plan.facts.registered()["notes"],
                    "place": one.quote.candidate.place,
                    "spec": one.quote.spec,
                }
                for one in numbered(answer, len(answer.quotes))
            ],
            "offers": [
                {
                    "gpu": one.gpu,
                    "provider": one.provider,
                    "sku": one.sku,
                    "fabric": one.fabric,
                    "usd_per_gpu_hour": one.usd,
                    "as_of": one.row.as_of,
                    "old": one.old(today),
                    "source": one.row.source,
                }
                for one in answer.offers
            ],
            "racks": [
                {
                    "cloud": one.bought[0].cloud,
                    "accelerator": one.bought[0].accelerator,
                    "machine": one.bought[0].machine_type,
                    "racks": len(one.bought),
                    "nodes": one.nodes,
                    "gpus": one.gpus,
                    "architecture": one.bought[0].architecture,
                    "way": one.way,
                    "quota": one.bought[0].quota,
                    "total_usd": one.total,
                    "usd_per_gpu_hour": one.per_gpu_hour,
                    "as_of": "" if one.oldest is None else one.oldest.row.as_of,
                    "source": "" if one.oldest is None else one.oldest.row.source,
                }
                for one in answer.racks
            ],
            "left_out": [
                {"cloud": one.cloud, "machine": one.machine, "way": one.way, "places": places, "why": one.why}
                for one, places in answer.refused.most_common()
            ],
        }
    )


def quote_row(of: Numbered) -> QuoteRow:
    """One quote. not_priced: names of the unpriced items."""
    quote, found, one = of.quote, of.quote.estimate, of.quote.candidate
    return QuoteRow(
        number=of.number,
        cloud=one.cloud,
        region=one.place["region"],
        zone=one.place["zone"],
        machine=one.machine.machine_type,
        way=one.way.words,
        nodes=one.plan.training.nodes,
        spares=one.plan.training.spares,
        gpus=quote.gpus,
        hours=quote.hours,
        total_usd=quote.total,
        total_most_usd="" if quote.gap.known == "unknown" else quote.most,
        known=quote.gap.known,
        without_spares_usd="" if quote.without_spares is None else quote.without_spares,
        usd_per_gpu_hour=quote.per_gpu_hour,
        monthly_usd=found.monthly.expected,
        upfront_usd=found.upfront,
        fabric_gbps=one.machine.fabric_gbps,
        high_confidence=quote.high,
        needs=one.way.needs,
        listed=quote.listed,
        hard_to_get=quote.hard_to_get,
        machine_bound=quote.machine_bound,
        machine_prices=[f"{date}, {source}" for date, source in quote.machine_prices],
        lost=list(one.plan.facts.losses),
        not_priced=missing(found),
    )


def quote_schema() -> dict[str, Any]:
    """JSON Schema of `gpucluster quote --format json`."""
    return command_schema(Quotes, "quote")


def quote_document(answer: QuotesAnswer, top: int, today: datetime.date) -> Document:
    """top: number of rows for users; machines get every quote and every exclusion. today: for the age of offers."""

    def model() -> Any:

        return answer_json(answer, today)

    def rows() -> tuple[list[str], Iterator[Mapping[str, Any]]]:

        found = (quote_row(one).model_dump() for one in numbered(answer, len(answer.quotes)))
        return [*QuoteRow.model_fields], found

    return Document(
        title=heading(answer),
        sections=lambda: _sections(answer, numbered(answer, top), today),
        model=model,
        rows=rows,
    )


def _sections(answer: QuotesAnswer, rows: list[Numbered], today: datetime.date) -> Iterator[Section]:
    if rows:
        yield table(HEADS, [cells(one) for one in rows])
    if rest := len(answer.quotes) - len(rows):
        yield f"{rest} more: --top {len(answer.quotes)}, or --format csv"
    yield from (Notes(title, texts) for title, texts in sections(rows))
    if texts := offered(answer, today):
        yield Notes("Also sold, GPUs alone, on demand (no cluster, storage, network or spare)", texts)
    if answer.racks:
        texts = [*rack_texts(answer.question), *map(str, answer.racks)]
        yield Notes("Racks, machines alone: clusters of them are not built yet", texts)
    if texts := left_out(answer):
        yield Notes("Excluded", texts)
