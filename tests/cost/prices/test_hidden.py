"""Prices of the book hidden in turn: whether they have a bound then, how wide it is, and whether they lie within."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices.bounds import MACHINE
from tools.prices.widths import Hidden, hidden, measure

EVERY = 13
"""`python -m tools.prices.widths` hides all."""


@pytest.fixture(scope="module")
def found() -> list[Hidden]:
    book = PriceBook()
    return list(chain.from_iterable(hidden(book, cloud, EVERY) for cloud in ("aws", "azure", "gcp")))


def test_the_bounds_of_machines_are_narrow_and_hold(found: list[Hidden]) -> None:
    measured = measure([one for one in found if one.row.unit == MACHINE])
    assert measured.prices > 450
    assert measured.bounded > measured.prices * 0.98
    assert measured.median <= Decimal("1.1")
    assert measured.tenth <= Decimal("1.3")
    assert measured.inside >= Decimal("0.99")


def test_the_bounds_of_other_items_hold(found: list[Hidden]) -> None:
    measured = measure([one for one in found if one.row.unit != MACHINE])
    assert measured.bounded > 150
    assert measured.median <= 2
    assert measured.inside >= Decimal("0.99")


def test_what_has_no_bound_is_the_one_price_of_its_kind(found: list[Hidden]) -> None:
    book = PriceBook()
    for one in found:
        if one.bound is None:
            same = book.of_sku(one.row.provider, one.row.sku)
            bought = [row for row in same if (row.purchase, row.term, row.unit) == (
                one.row.purchase, one.row.term, one.row.unit
            )]  # fmt: skip
            assert {row.region for row in bought if row.usd_per_unit and not row.zone} == {one.row.region}


def test_no_spot_price_has_a_bound_above_on_demand_and_no_commitment_one_from_zero(found: list[Hidden]) -> None:
    book = PriceBook()
    checked = 0
    for one in found:
        if one.bound is None or one.row.purchase not in ("spot", "reserved", "savings_plan"):
            continue
        assert one.bound.least > 0
        for row in book.of_thing(one.row.provider, one.row.region, one.row.sku):
            if (row.purchase, row.unit, row.alt) == ("on_demand", one.row.unit, False):
                assert one.bound.most <= row.usd_per_unit
                checked += 1
    assert checked > 100
