"""The base of every JSON document with amounts, and the types of its values."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    AliasPath,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue

from gpucluster.core.documents.model import Model, Versioned
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import UNBOUNDED, CostLine, Unbounded
from gpucluster.cost.pricing.model import Amounts as AmountsOf

MILLIONTH: Final = Decimal("0.000001")
_NUMBER: Final = r"^-?[0-9]+(\.[0-9]+)?$"
_VERSIONS: Final = (
    "Money is text in USD. schema_version increases when a field changes its meaning or is removed, schema_minor when "
    "fields are added, so readers should ignore unknown fields."
)


def text_of(value: Decimal | Unbounded) -> str:
    """A number as text without an exponent, so that no reader turns it into a binary fraction."""
    return value if isinstance(value, str) else f"{value:f}"


def _text(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


Amount = Annotated[Decimal, PlainSerializer(text_of), _text(_NUMBER)]
Bound = Annotated[
    Decimal | Literal["unbounded"],
    PlainSerializer(text_of),
    WithJsonSchema({"anyOf": [{"type": "string", "pattern": _NUMBER}, {"const": "unbounded"}]}),
]
Date = Annotated[str, _text(r"^([0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)?$")]


def _name(urn: str, info: ValidationInfo) -> str:
    return urn if info.context is None else info.context.get(urn, "")


Name = Annotated[str, AfterValidator(_name)]
"""Logical name of the resource with this URN, by the context of the validation."""


def _with_versions(schema: JsonSchemaValue) -> None:
    schema["required"] = ["schema_version", "schema_minor", "currency", *schema["required"]]
    schema["description"] = f"{schema['description']} {_VERSIONS}"


class Answer(Versioned):
    """The same, with amounts."""

    model_config = ConfigDict(json_schema_extra=_with_versions)

    currency: Literal["USD"] = "USD"


class Amounts(Model):
    floor: Amount
    expected: Amount
    ceiling: Bound


def _of_line(line: Any) -> Any:
    return AmountsOf.of([line]) if isinstance(line, CostLine) else line


AmountsOfLine = Annotated[Amounts, BeforeValidator(_of_line)]


class Known(Model):
    """An amount with lower and upper bounds of what has no price in it; no price, and in no total."""

    state: Literal["complete", "bounded", "unknown"] = Field(
        description="bounded: everything without a price has a bound; unknown: something has none"
    )
    without_price: int
    without_bound: int
    least: Bound
    most: Bound | None = Field(description="null if something has no bound")
    dollars_known: Amount | None = Field(description="share of most that has a price")


class Between(Model):
    """Bounds of something without a price: no price, and in no total."""

    name: str = Field(validation_alias=AliasPath("least", "name"))
    quantity: Amount = Field(validation_alias=AliasPath("least", "quantity"))
    unit: str = Field(validation_alias=AliasPath("least", "unit"))
    basis: str = Field(validation_alias=AliasPath("least", "basis"))
    unit_price_least: Amount = Field(validation_alias=AliasPath("least", "unit_price"))
    unit_price_most: Amount = Field(validation_alias=AliasPath("most", "unit_price"))
    monthly_least: AmountsOfLine = Field(validation_alias="least")
    monthly_most: AmountsOfLine = Field(validation_alias="most")
    rule: str = Field(description="how the bound is computed, with its prices")


def known(amount: Decimal | Unbounded, gap: Gap) -> Known:
    """How well an amount is known: `least` and `most` include the bounds of its unpriced items."""
    priced = None if isinstance(amount, str) else amount
    share = None if priced is None else gap.share(priced)
    return Known(
        state=gap.known,
        without_price=gap.missing,
        without_bound=gap.open,
        least=UNBOUNDED if priced is None else gap.low(priced),
        most=None if priced is None else gap.high(priced),
        dollars_known=None if share is None else share.quantize(MILLIONTH),
    )
