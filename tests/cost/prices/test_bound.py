"""Between what two prices one lies that the book does not have."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import NotKnown, Price, PriceRow
from gpucluster.cost.prices.bound import bound_of
from gpucluster.cost.prices.elsewhere import price_or_bound


def _row(region: str, usd: str, note: str = "") -> PriceRow:
    return PriceRow(
        provider="aws", region=region, sku="thing", kind="storage", unit="GiB-month", purchase="on_demand", term="",
        usd_per_unit=Decimal(usd), as_of="2026-10", source="a list", note=note, basis="official",
    )  # fmt: skip


def test_one_region_leaves_half_to_double_its_price() -> None:
    found = bound_of([_row("here", "3")])
    assert found is not None
    assert (found.least, found.most) == (Decimal("1.5"), Decimal(6))
    assert found.rule == "by 1 other region, here $3, divided and multiplied by 2"


def test_several_regions_leave_a_half_more_on_either_side_of_the_least_and_the_dearest() -> None:
    found = bound_of([_row("a", "3"), _row("b", "4"), _row("c", "6")])
    assert found is not None
    assert (found.least, found.most) == (Decimal(2), Decimal(9))
    assert found.rule == "by 3 other regions, a $3 to c $6, divided and multiplied by 1.5"


def test_no_bound_is_rounded_inwards() -> None:
    found = bound_of([_row("a", "0.1"), _row("b", "0.1000001")])
    assert found is not None
    assert (found.least, found.most) == (Decimal("0.0666666"), Decimal("0.150001"))


def test_zones_later_tiers_and_second_opinions_beside_others_tell_nothing() -> None:
    told = [_row("a", "3"), _row("a/a1", "1"), _row("a", "2", "tier 2: from 50 TB"), _row("b", "9", "note=alt")]
    assert bound_of(told) == bound_of([_row("a", "3")])
    assert bound_of([_row("b", "9", "note=alt")]) == bound_of([_row("b", "9")])
    assert bound_of([_row("a/a1", "1")]) is None


def test_neither_another_cloud_nor_another_way_to_buy_gives_a_bound(book: PriceBook) -> None:
    for_spot = price_or_bound(book, "aws", "eu-west-9", "p5.48xlarge", "flex_start", unit="instance-hour")
    elsewhere = price_or_bound(book, "gcp", "us-central1", "p5.48xlarge", unit="instance-hour")
    assert isinstance(for_spot, NotKnown)
    assert isinstance(elsewhere, NotKnown)


def test_what_has_a_price_has_no_bound_and_what_has_none_stands_at_the_most_of_it(book: PriceBook) -> None:
    here = price_or_bound(book, "aws", "us-east-1", "p5.48xlarge", unit="instance-hour")
    assert here == book.lookup("aws", "us-east-1", "p5.48xlarge", unit="instance-hour")
    there = price_or_bound(book, "aws", "eu-west-9", "p5.48xlarge", unit="instance-hour")
    assert isinstance(there, Price)
    assert there.instead_of is not None
    assert there.instead_of.bound is not None
    assert (there.usd, there.row.region, there.confidence) == (there.instead_of.bound.most, "eu-west-9", "low")
    assert there is price_or_bound(book, "aws", "eu-west-9", "p5.48xlarge", unit="instance-hour")


def _hidden(book: PriceBook, cloud: str) -> Iterator[tuple[PriceRow, list[PriceRow]]]:
    """Each price of a cloud with those of the same thing in other regions, as if it were not known."""
    alike: dict[tuple[str, ...], list[PriceRow]] = {}
    for row in book.rows(cloud):
        if not row.zone and not row.alt and row.tier < 2 and row.region != "global":
            alike.setdefault((row.sku, row.purchase, row.term, row.unit), []).append(row)
    for rows in alike.values():
        for row in rows:
            if others := [other for other in rows if other.region != row.region]:
                yield row, others


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_the_rule_holds_for_the_prices_that_the_book_has(book: PriceBook, cloud: str) -> None:
    held = [
        bound.least <= row.usd_per_unit <= bound.most
        for row, others in _hidden(book, cloud)
        if (bound := bound_of(others)) is not None
    ]
    assert len(held) > 100
    assert sum(held) / len(held) > 0.95
