"""The types of plain values that several models have; a schema is made of them."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from gpucluster.record import record


@record
class Pattern:
    """What a text is like, as a regular expression."""

    text: str


Amount = Annotated[str, Pattern(r"^-?[0-9]+(\.[0-9]+)?$")]
Bound = Amount | Literal["unbounded"]
Date = Annotated[str, Pattern(r"^([0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)?$")]
Version = Literal[2]
Currency = Literal["USD"]


class AmountsShape(TypedDict):
    floor: Amount
    expected: Amount
    ceiling: Bound


class KnownShape(TypedDict):
    """An amount with lower and upper bounds of what has no price in it; no price, and in no total."""

    state: Annotated[
        Literal["complete", "bounded", "unknown"],
        "bounded: everything without a price has a bound; unknown: something has none",
    ]
    without_price: int
    without_bound: int
    least: Bound
    most: Annotated[Bound | None, "null if something has no bound"]
    dollars_known: Annotated[Amount | None, "share of most that has a price"]


class BoundShape(TypedDict):
    """Bounds of something without a price: no price, and in no total."""

    name: str
    quantity: Amount
    unit: str
    basis: str
    unit_price_least: Amount
    unit_price_most: Amount
    monthly_least: AmountsShape
    monthly_most: AmountsShape
    rule: Annotated[str, "how the bound is computed, with its prices"]
