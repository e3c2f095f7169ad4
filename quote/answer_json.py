"""What the JSON of an answer is; its schema is made of these types."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from gpucluster.cost.documents.schema import schema_of
from gpucluster.cost.documents.words.shape import Amount, Currency, Version

Share = Annotated[Amount, "0 to 1"]


class AgreedShape(TypedDict):
    """agreed terms with a cloud"""

    support: NotRequired[str]
    discount: NotRequired[Annotated[float, "share off list prices, 0 to 1"]]
    account_usd: NotRequired[Annotated[float, "USD a month that the account spends outside the stack"]]


class QuestionShape(TypedDict):
    gpus: int
    hours: int
    accelerators: list[str]
    clouds: list[str]
    regions: Annotated[list[str], "regions and words for several; empty for everywhere"]
    budget_usd: Annotated[Amount | None, "maximum cost for the whole time"]
    terms: Annotated[dict[str, AgreedShape], "by cloud"]


class ConfidenceShape(TypedDict):
    """USD a month of what has a price, by the confidence of the price"""

    high: Amount
    medium: Amount
    low: Amount


class QuoteShape(TypedDict):
    """One cluster: its place, its machine and the way to buy it."""

    number: Annotated[int, "row number for --pick; the lowest total comes first"]
    cloud: str
    region: str
    zone: str
    machine: str
    way: Annotated[str, "to buy"]
    nodes: int
    spares: int
    gpus: Annotated[int, "that jobs can use"]
    hours: int
    total_usd: Annotated[Amount, "for the whole time, of what has a price"]
    total_most_usd: Annotated[Amount | Literal[""], "upper bound of the total; empty if something has no bound"]
    known: Annotated[
        Literal["complete", "bounded", "unknown"],
        "bounded: everything without a price has a bound; unknown: something has none",
    ]
    usd_per_gpu_hour: Amount
    monthly_usd: Amount
    upfront_usd: Amount
    fabric_gbps: Annotated[int, "of a node"]
    high_confidence: Annotated[Share, "share of the upper bound"]
    needs: Annotated[str, "prerequisites"]
    listed: Annotated[str, "evidence that the machine is sold there"]
    hard_to_get: str
    machine_bound: Annotated[str, "rule of the bound of its machines; empty if they have a price"]
    machine_prices: Annotated[list[str], "date and source of each price of its machines, the oldest first"]
    lost: Annotated[list[str], "against the spec"]
    not_priced: Annotated[list[str], "why each price is missing"]
    confidence_usd: ConfidenceShape
    notes: Annotated[list[str], "what its plan says"]
    place: Annotated[dict[str, str], "for the configuration of a stack"]
    spec: Annotated[dict[str, Any], "as `gpucluster schema spec` describes it"]


class LeftOutShape(TypedDict):
    cloud: str
    machine: Annotated[str, "empty for all"]
    way: Annotated[str, "empty for all"]
    places: int
    why: str


class AnswerShape(TypedDict):
    """Clusters that match a question."""

    schema_version: Version
    currency: Currency
    question: QuestionShape
    quotes: list[QuoteShape]
    left_out: list[LeftOutShape]


def quote_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `gpucluster quote --format json`."""
    return schema_of(AnswerShape, "quote")
