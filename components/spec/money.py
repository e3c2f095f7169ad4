"""What a stack may cost, and what its account has agreed with its cloud."""

from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WithJsonSchema, WrapValidator

from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import Dollars


class Budget(Model):
    """The most this stack may cost in a month of 730 hours."""

    monthly_usd: Dollars = Field(description="USD for a month of 730 hours", examples=[420000])
    on_exceed: Literal["fail", "warn"] = Field(
        default="fail", description="fail: refuse the plan before anything is registered"
    )


_DISCOUNT = {"anyOf": [{"type": "number", "minimum": 0, "exclusiveMaximum": 1}, {"type": "string"}]}


def _discount(value: object, share: ValidatorFunctionWrapHandler) -> object:
    """A share, also as a percentage: `8%` is 0.08."""
    if isinstance(value, str) and value.endswith("%"):
        with suppress(InvalidOperation, ValidationError):
            return share(Decimal(value.removesuffix("%")) / 100)
    return share(value)


class Terms(Model):
    """Commercial terms of the account with its cloud. Default: list prices without support."""

    support: str = Field(
        default="", max_length=40, description="Support plan, by its name in the price book", examples=["business"]
    )
    discount: Annotated[Decimal, WrapValidator(_discount), WithJsonSchema(_DISCOUNT)] = Field(
        default=Decimal(0), ge=0, lt=1, description="Share off all list prices, such as 8%", examples=["8%"]
    )
    account_usd: Decimal = Field(
        default=Decimal(0),
        ge=0,
        le=1_000_000_000,
        description="USD a month that the account spends outside this stack; support fees depend on it",
    )
