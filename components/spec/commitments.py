"""The budget of a stack, the terms of its account, and figures that the cluster must reach."""

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from gpucluster.components.planning.problem import BadSpecValue, Problem
from gpucluster.components.spec.model import Dollars, Model, Whole
from gpucluster.core.text.values import shown_value


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


def _by_number_of_nodes(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    problems: list[Problem] = []
    for nodes, speed in cast(Mapping[Any, Any], value).items():
        if not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 2:
            seen = f"has {shown_value(nodes)} as a number of nodes"
            problems.append(Problem("", seen, "write 2 or more, such as 4: 360"))
        elif not isinstance(speed, int | float | Decimal) or isinstance(speed, bool) or speed <= 0:
            seen = f"has {shown_value(speed)} for {nodes} nodes"
            problems.append(Problem("", seen, f"write GB/s above 0, such as {nodes}: 360"))
    if problems:
        raise BadSpecValue(problems)
    return cast(Mapping[Any, Any], value)


class Promises(Model):
    """Performance promised by the seller or to users; `gpucluster acceptance report` checks each figure."""

    bus_gb_per_s: Annotated[dict[Whole, Decimal], BeforeValidator(_by_number_of_nodes)] = Field(
        default_factory=dict,
        description="Number of nodes -> bus bandwidth of a ring all-reduce over them, GB/s (10^9 bytes)",
        examples=[{4: 360, 8: 350}],
    )
    storage_gb_per_s: Decimal | None = Field(
        default=None,
        gt=0,
        description="Read and write throughput of shared storage, all nodes together, GB/s; default: "
        "storage.shared.gb_per_s",
    )
    files_per_s: Decimal | None = Field(
        default=None, gt=0, description="Small files that all nodes together create, stat, read or delete in a second"
    )
    replacement_hours: Decimal | None = Field(
        default=None, gt=0, description="Hours from the request for a broken node's replacement until it is ready"
    )
