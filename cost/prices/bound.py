"""Bounds of a price that the book does not contain.

From other regions: the lowest and the highest price of the SKU, with the same purchase option and term, in the other
regions of the same cloud, widened by a factor. Without such prices, from its siblings (`siblings.py`) with the same
purchase option: of its region, else of the others. If each price of the book is hidden in turn, 95 % or more of each
cloud's prices lie within the bounds of either rule (`tests/cost/prices/test_bound.py`, `test_hidden.py`). Never across
clouds or purchase options, except for a commitment: it costs at most the on-demand price of its own region, as every
commitment in the book does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Final

from gpucluster.cost.prices.row import PriceRow
from gpucluster.cost.prices.siblings import Family, family_of

_APART: Final = {1: Decimal(2)}
"""Number of known regions -> factor by which the true price may be below the lowest or above the highest of them."""
_APART_ELSE: Final = Decimal("1.5")
_APART_HERE: Final = Decimal("1.1")
"""The same for siblings of its own region."""

_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)
_UP: Final = Context(prec=6, rounding=ROUND_CEILING)
"""Significant digits of a bound, never rounded inwards."""


@dataclass(frozen=True)
class Bound:
    """Lower and upper bound of one unit's cost in USD; not a price, and in no total.

    rule: its derivation, with the two prices used. as_of: the date of the older of them.
    """

    least: Decimal
    most: Decimal
    rule: str
    as_of: str


@dataclass(frozen=True)
class _Told:
    """Bounds of a price that follow from a sibling. ratio: of the larger size to the smaller."""

    row: PriceRow
    ratio: Decimal
    least: Decimal
    most: Decimal


def bound_of(rows: Sequence[PriceRow]) -> Bound | None:
    """The bound from prices in other regions: `rows` of one SKU, unit, purchase option and term; None without any.

    Second opinions count only if there is nothing else; graduated prices count with the first tier, as lines do; prices
    of single zones never count.
    """
    used = _telling(rows)
    if not used:
        return None
    low, high = (pick(used, key=lambda row: (row.usd_per_unit, row.region)) for pick in (min, max))
    regions = {row.region for row in used}
    known = f"{low.region} {_usd(low)}" if low.usd_per_unit == high.usd_per_unit else (
        f"{low.region} {_usd(low)} to {high.region} {_usd(high)}"
    )  # fmt: skip
    where = "1 other region" if len(regions) == 1 else f"{len(regions)} other regions"
    return _apart(low.usd_per_unit, high.usd_per_unit, _factor(regions), f"by {where}, {known}", (low, high))


def bound_by_siblings(sku: str, region: str, rows: Sequence[PriceRow]) -> Bound | None:
    """The bound from an item's siblings: `rows` of its family, one unit, purchase option and term; None without any.

    In each region the nearest smaller and larger sibling count, the tightest bound; then the widest of the regions.
    """
    thing, used = family_of(sku), _telling(rows)
    here = [row for row in used if row.region == region]
    told: dict[str, list[_Told]] = {}
    for row in here or used:
        if one := _told(thing, row):
            told.setdefault(row.region, []).append(one)
    if not told:
        return None
    low = min((max(ones, key=lambda one: (one.least, -one.ratio)) for ones in told.values()), key=lambda one: one.least)
    high = max((min(ones, key=lambda one: (one.most, one.ratio)) for ones in told.values()), key=lambda one: one.most)
    said = " and ".join(dict.fromkeys(f"{one.row.sku} {_usd(one.row)} in {one.row.region}" for one in (low, high)))
    least, most = sorted((low.least, high.most))
    apart = _APART_HERE if here else _factor(told.keys())
    return _apart(least, most, apart, f"by size from {said}", (low.row, high.row))


def _told(thing: Family | None, row: PriceRow) -> _Told | None:
    """The bounds from one sibling: a larger size costs at least as much, and at most in proportion to its size."""
    other = family_of(row.sku)
    if thing is None or other is None or other.name != thing.name:
        return None
    if ratio := thing.ratio(other):
        return _Told(row, ratio, row.usd_per_unit, row.usd_per_unit * ratio)
    if ratio := other.ratio(thing):
        return _Told(row, ratio, row.usd_per_unit / ratio, row.usd_per_unit)
    return None


def _telling(rows: Sequence[PriceRow]) -> list[PriceRow]:
    whole = [row for row in rows if not row.zone and row.tier < 2]
    return [row for row in whole if not row.alt] or whole


def _factor(regions: Collection[str]) -> Decimal:
    return _APART.get(len(regions), _APART_ELSE)


def _apart(low: Decimal, high: Decimal, apart: Decimal, said: str, rows: tuple[PriceRow, PriceRow]) -> Bound:
    return Bound(
        _DOWN.divide(low, apart),
        _UP.multiply(high, apart),
        f"{said}, divided and multiplied by {apart}",
        min(row.as_of for row in rows),
    )


def no_more_than(cap: Decimal, said: str, as_of: str, bound: Bound | None) -> Bound:
    """`bound`, if any, with upper bound `cap`; from 0 if nothing below `cap` is known.

    said: the item that costs `cap`. as_of: the date of that price.
    """
    if bound is None or bound.least > cap:
        return Bound(Decimal(0), cap, f"at most {said}", as_of)
    if bound.most <= cap:
        return bound
    return replace(bound, most=cap, rule=f"{bound.rule}; at most {said}", as_of=min(bound.as_of, as_of))


def _usd(row: PriceRow) -> str:
    return f"${row.usd_per_unit.normalize():f}"
