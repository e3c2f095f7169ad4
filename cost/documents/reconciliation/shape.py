"""What the JSON of a bill beside its plan is; its schema is made of these types."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from gpucluster.cost.documents.words.shape import Amount, Currency, Pattern, Version

Money = Annotated[str, Pattern(r"^-?\d+\.\d{2}$")]
Share = Annotated[str, Pattern(r"^-?\d+\.\d{6}$"), "1 if plan and bill are equal"]


class BesideShape(TypedDict):
    """billed and not planned"""

    resource: Annotated[str, "name or id, as the bill has it; empty where it has none"]
    what: Annotated[str, "meter"]
    service: str
    quantity: Amount | None
    unit: str
    billed: Money | None
    invoiced: Money | None


class ApartShape(TypedDict):
    kind: str
    invoiced: Money
    effective: Money
    rows: int


class TotalShape(TypedDict):
    planned: Money | None
    billed: Money | None
    invoiced: Money | None
    exact_in_total: Share | None
    exact_by_line: Share | None


class PartShape(TotalShape):
    name: str


class ReasonShape(TypedDict):
    kind: Literal["hours", "usage", "price", "commitment", "missing", "unknown"]
    amount: Money
    words: str


class LineShape(TypedDict):
    resource: Annotated[str, "URN"]
    part: str
    name: str
    unit: str
    planned_quantity: Amount | None
    billed_quantity: Amount | None
    planned: Money | None
    billed: Money | None
    invoiced: Money | None
    rows: Annotated[int, "of the bill"]
    exact: Share | None
    reasons: list[ReasonShape]


class PlannedShape(TypedDict):
    resource: Annotated[str, "URN"]
    name: str


class UnlabelledShape(BesideShape):
    """billed without a label of the stack, and what it may belong to"""

    may_be: PlannedShape


class OtherCurrencyShape(TypedDict):
    currency: str
    billed: Money
    rows: int


class PriceShape(TypedDict):
    provider: str
    region: str
    sku: str
    unit: str
    bought: Annotated[str, "way to buy, and its term behind a comma"]
    usd_per_unit: Amount


class LearnedShape(TypedDict):
    """what --write-usage and --write-prices write"""

    usage: Annotated[dict[str, dict[str, Amount]], "by URN"]
    prices: list[PriceShape]
    not_learned: list[PlannedShape]


_From = TypedDict("_From", {"from": Annotated[str, "first moment that counts"]})


class ReconciliationShape(_From):
    """A bill compared with its plan, line by line."""

    schema_version: Version
    currency: Currency
    to: Annotated[str, "moment at which it ends"]
    total: TotalShape
    parts: list[PartShape]
    lines: list[LineShape]
    not_in_plan: list[BesideShape]
    unlabelled: list[UnlabelledShape]
    apart: Annotated[list[ApartShape], "credits, taxes, purchases and refunds of the stack"]
    apart_elsewhere: Annotated[list[ApartShape], "the same without a label of the stack"]
    other_currencies: Annotated[list[OtherCurrencyShape], "listed, not added"]
    rows: int
    repeated_rows: int
    repeated_rows_with_other_amounts: int
    not_read: Annotated[list[str], "rows and files that could not be read, by line and column"]
    learned: LearnedShape
