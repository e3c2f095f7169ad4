"""Between what two prices one lies that nobody has written down.

By the same thing elsewhere: the least and the dearest price of the SKU, bought in the same way for the same term, in
the other regions of the same cloud, moved apart by a factor. Where there is none, by its siblings (`siblings.py`) that
are bought so: of its region, else of the others. Hide each price of the book in turn, and 95 % or more of those of each
cloud lie within by either rule (`tests/cost/prices/test_bound.py`, `test_hidden.py`). Never across clouds, nor from one
way to buy to another, but for a commitment: it costs no more than the same on demand in its own region, as each of the
book does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Final

from gpucluster.cost.prices.row import PriceRow
from gpucluster.cost.prices.siblings import Family, family_of
from gpucluster.record import record

_APART: Final = {1: Decimal(2)}
"""Regions known -> how far the true price may lie below the least or above the dearest of them."""
_APART_ELSE: Final = Decimal("1.5")
_APART_HERE: Final = Decimal("1.1")
"""The same for siblings of its own region."""

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


@record
class _Told:
    """Between what a sibling leaves a price. ratio: of the larger size to the smaller."""

    row: PriceRow
    ratio: Decimal
    least: Decimal
    most: Decimal


def bound_of(rows: Sequence[PriceRow]) -> Bound | None:
    """The bound that the prices of a thing elsewhere give: `rows` of one SKU, unit, way to buy and term; None for none.

    Second opinions count only where there is nothing else; of a graduated price its first tier, as lines do; prices of
    single zones never do.
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
    """The bound that the siblings of a thing give: `rows` of its family, one unit, way to buy and term; None for none.

    In each region the nearest smaller and larger sibling count, the tightest; then the widest of the regions.
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
    """What a sibling leaves: a larger size costs no less, nor more than in proportion."""
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
