"""Between what two prices one lies that nobody has written down, by those of the same thing elsewhere.

The least and the dearest price of the same SKU, bought in the same way for the same term, in the other regions of the
same cloud, moved apart by a factor. Hide each price of the book in turn, and 95 % or more of those of each cloud lie
within (`tests/cost/prices/test_bound.py`). Never across clouds, nor from one way to buy to another, but for a
commitment: it costs no more than the same on demand in its own region, as each of the book does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Final

from gpucluster.cost.prices.row import PriceRow
from gpucluster.record import record

__all__ = ["Bound", "bound_of", "no_more_than"]

_APART: Final = {1: Decimal(2)}
"""Regions known -> how far the true price may lie below the least or above the dearest of them."""
_APART_ELSE: Final = Decimal("1.5")

_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)
_UP: Final = Context(prec=6, rounding=ROUND_CEILING)
"""Digits that a bound is written with, and never rounded inwards."""


@record
class Bound:
    """The least and the most that one unit costs, in USD; no price, and in no total.

    rule: how it comes about, with the two prices behind it. as_of: the date of the older of them.
    """

    least: Decimal
    most: Decimal
    rule: str
    as_of: str


def bound_of(rows: Sequence[PriceRow]) -> Bound | None:
    """The bound that the prices of a thing elsewhere give: `rows` of one SKU, unit, way to buy and term; None for none.

    Second opinions count only where there is nothing else; of a graduated price its first tier, as lines do; prices of
    single zones never do.
    """
    whole = [row for row in rows if not row.zone and row.tier < 2]
    used = [row for row in whole if not row.alt] or whole
    if not used:
        return None
    low, high = (pick(used, key=lambda row: (row.usd_per_unit, row.region)) for pick in (min, max))
    regions = {row.region for row in used}
    apart = _APART.get(len(regions), _APART_ELSE)
    known = f"{low.region} {_usd(low)}" if low.usd_per_unit == high.usd_per_unit else (
        f"{low.region} {_usd(low)} to {high.region} {_usd(high)}"
    )  # fmt: skip
    where = "1 other region" if len(regions) == 1 else f"{len(regions)} other regions"
    return Bound(
        _DOWN.divide(low.usd_per_unit, apart),
        _UP.multiply(high.usd_per_unit, apart),
        f"by {where}, {known}, divided and multiplied by {apart}",
        min(low.as_of, high.as_of),
    )


def no_more_than(cap: Decimal, said: str, as_of: str, bound: Bound | None) -> Bound:
    """`bound`, where there is one, with `cap` for its most; from 0 where nothing below `cap` is known.

    said: what costs `cap`. as_of: the date of that.
    """
    if bound is None or bound.least > cap:
        return Bound(Decimal(0), cap, f"at most {said}", as_of)
    if bound.most <= cap:
        return bound
    return replace(bound, most=cap, rule=f"{bound.rule}; at most {said}", as_of=min(bound.as_of, as_of))


def _usd(row: PriceRow) -> str:
    return f"${row.usd_per_unit.normalize():f}"
