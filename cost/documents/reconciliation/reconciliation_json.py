"""The JSON of a bill compared with its plan."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasPath, Field, PlainSerializer, WithJsonSchema

from gpucluster.core.documents.model import Model, command_schema
from gpucluster.cost.bills.reconciliation import Exactness, Reconciled, UnplannedCharge
from gpucluster.cost.bills.usage import DerivedUsage
from gpucluster.cost.documents.json_schema import MILLIONTH, Amount, Answer, text_of
from gpucluster.cost.pricing.model import cents

Money = Annotated[Decimal, PlainSerializer(text_of), WithJsonSchema({"type": "string", "pattern": r"^-?\d+\.\d{2}$"})]
Cents = Annotated[Money, AfterValidator(cents)]
Share = Annotated[
    Decimal,
    AfterValidator(lambda value: value.quantize(MILLIONTH)),
    PlainSerializer(text_of),
    WithJsonSchema({"type": "string", "pattern": r"^-?\d+\.\d{6}$", "description": "1 if plan and bill are equal"}),
]


class NotPlanned(Model):
    """billed and not planned"""

    resource: str = Field(description="name or id, as the bill has it; empty where it has none")
    what: str = Field(description="meter")
    service: str
    quantity: Amount | None
    unit: str
    billed: Money | None
    invoiced: Money | None


class Separate(Model):
    kind: str
    invoiced: Money
    effective: Money
    rows: int


class Total(Model):
    planned: Cents | None
    billed: Cents | None
    invoiced: Cents | None
    exact_in_total: Share | None = Field(validation_alias="of_total")
    exact_by_line: Share | None = Field(validation_alias="by_line")


class PartTotal(Total):
    name: str


class Reason(Model):
    kind: Literal["hours", "usage", "price", "commitment", "missing", "unknown"]
    amount: Money
    words: str


class PlannedLine(Model):
    resource: str = Field(validation_alias=AliasPath("line", "urn"), description="URN")
    part: str = Field(validation_alias=AliasPath("line", "part"))
    name: str = Field(validation_alias=AliasPath("line", "name"))
    unit: str = Field(validation_alias=AliasPath("line", "unit"))
    planned_quantity: Amount | None
    billed_quantity: Amount | None = Field(validation_alias="quantity")
    planned: Money | None
    billed: Money | None
    invoiced: Money | None
    rows: int = Field(validation_alias="charges", description="of the bill")
    exact: Share | None
    reasons: list[Reason]


class Planned(Model):
    resource: str = Field(validation_alias="urn", description="URN")
    name: str


class Unlabelled(NotPlanned):
    """billed without a label of the stack, and what it may belong to"""

    may_be: Planned


class OtherCurrency(Model):
    currency: str
    billed: Money
    rows: int


class LearnedPrice(Model):
    provider: str
    region: str
    sku: str
    unit: str
    bought: str = Field(description="purchase option, and its term behind a comma")
    usd_per_unit: Amount


class LearnedValues(Model):
    """what --write-usage and --write-prices write"""

    usage: dict[str, dict[str, Amount]] = Field(description="by URN")
    prices: list[LearnedPrice]
    not_learned: list[Planned]


class Reconciliation(Answer):
    """A bill compared with its plan, line by line."""

    start: str = Field(serialization_alias="from", description="first moment that counts")
    to: str = Field(description="moment at which it ends")
    total: Total
    parts: list[PartTotal]
    lines: list[PlannedLine]
    not_in_plan: list[NotPlanned]
    unlabelled: list[Unlabelled]
    apart: list[Separate] = Field(description="credits, taxes, purchases and refunds of the stack")
    apart_elsewhere: list[Separate] = Field(description="the same without a label of the stack")
    other_currencies: list[OtherCurrency] = Field(description="listed, not added")
    rows: int
    repeated_rows: int
    repeated_rows_with_other_amounts: int
    not_read: list[str] = Field(description="rows and files that could not be read, by line and column")
    learned: LearnedValues


def reconciliation_json(found: Reconciled, learned: DerivedUsage) -> Reconciliation:
    """Lists are in a stable order. `billed` is EffectiveCost, `invoiced` BilledCost."""
    return Reconciliation.model_validate(
        {
            "start": found.window.start.isoformat(),
            "to": found.window.end.isoformat(),
            "total": found.total,
            "parts": [{"name": part, **_total(found.of_part(part))} for part in found.parts],
            "lines": found.rows,
            "not_in_plan": found.not_in_plan,
            "unlabelled": [{**_unplanned(one), "may_be": line} for one, line in found.unlabelled],
            "apart": found.apart,
            "apart_elsewhere": found.elsewhere,
            "other_currencies": [
                {"currency": code, "billed": amount, "rows": rows} for code, amount, rows in found.other_currencies
            ],
            "rows": found.read.rows,
            "repeated_rows": found.read.repeated,
            "repeated_rows_with_other_amounts": found.read.changed,
            "not_read": found.read.faults,
            "learned": {
                "usage": learned.usage,
                "prices": [_price(key, price) for key, price in learned.prices.items()],
                "not_learned": learned.not_learned,
            },
        }
    )


def _price(key: tuple[str, ...], price: Decimal) -> dict[str, Any]:
    provider, region, sku, unit, bought, *_ = key
    return {
        "provider": provider,
        "region": region,
        "sku": sku,
        "unit": unit,
        "bought": bought.rstrip(","),
        "usd_per_unit": price,
    }


def _total(sums: Exactness) -> dict[str, Any]:
    return dict(Total.model_validate(sums))


def _unplanned(one: UnplannedCharge) -> dict[str, Any]:
    return dict(NotPlanned.model_validate(one))


def reconciliation_schema() -> dict[str, Any]:
    """JSON Schema of `gpucluster cost reconcile --format json`."""
    return command_schema(Reconciliation, "cost reconcile")
