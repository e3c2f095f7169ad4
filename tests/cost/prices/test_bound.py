"""Between what two prices one lies that the book does not have."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import NotKnown, Price, PriceRow
from gpucluster.cost.prices.bounds import Bound, bound_of, no_more_than
from gpucluster.cost.prices.other_regions import price_or_bound
from tests.says import Says


def _row(region: str, usd: str, note: str = "") -> PriceRow:
    return PriceRow(
        provider="aws", region=region, sku="thing", kind="storage", unit="GiB-month", purchase="on_demand", term="",
        usd_per_unit=Decimal(usd), as_of="2026-10", source="a list", note=note, basis="official",
    )  # fmt: skip


def test_one_region_leaves_half_to_double_its_price() -> None:
    found = bound_of([_row("here", "3")])
    assert found is not None
    assert (found.least, found.most) == (Decimal("1.5"), Decimal(6))
    assert found.rule == Says("1", "$3", "2")


def test_several_regions_leave_a_half_more_on_either_side_of_the_least_and_the_dearest() -> None:
    found = bound_of([_row("a", "3"), _row("b", "4"), _row("c", "6")])
    assert found is not None
    assert (found.least, found.most) == (Decimal(2), Decimal(9))
    assert found.rule == Says("3", "$3", "$6", "1.5")


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


def test_a_cap_moves_the_most_alone_and_leaves_0_where_nothing_below_it_is_known() -> None:
    bound = Bound(Decimal(3), Decimal(12), "by others", "2026-10")
    assert no_more_than(Decimal(8), "what it is on demand", "2026-09", bound) == Bound(
        Decimal(3), Decimal(8), "by others; at most what it is on demand", "2026-09"
    )
    assert no_more_than(Decimal(12), "what it is on demand", "2026-09", bound) == bound
    for known in (None, bound):
        assert no_more_than(Decimal(2), "what it is on demand", "2026-09", known) == Bound(
            Decimal(0), Decimal(2), "at most what it is on demand", "2026-09"
        )


@pytest.mark.parametrize(
    ("place", "purchase", "term", "least", "most", "rule"),
    [
        (("azure", "eastus", "Standard_ND96isr_H100_v5"), "reserved", "1y", "31.46", "98.32",
         Says("1", "eastus2", "$62.92", "2", "$98.32")),
        (("aws", "us-east-1", "p5.48xlarge"), "savings_plan", "3y", "0", "55.04",
         "at most on demand in us-east-1, $55.04"),
    ],
)  # fmt: skip
def test_a_commitment_costs_no_more_than_the_same_on_demand(
    book: PriceBook, place: tuple[str, str, str], purchase: str, term: str, least: str, most: str, rule: str
) -> None:
    found = price_or_bound(book, *place, purchase, term, unit="instance-hour")
    assert isinstance(found, Price)
    assert found.instead_of is not None
    bound = found.instead_of.bound
    assert bound is not None
    assert (bound.least, bound.most, bound.rule) == (Decimal(least), Decimal(most), rule)
    assert (found.row.provider, found.row.region, found.row.sku) == place
    assert (found.usd, found.row.purchase, found.row.term) == (bound.most, purchase, term)


def test_the_most_of_a_price_on_demand_that_is_bounded_is_a_cap_too(book: PriceBook) -> None:
    on_demand = price_or_bound(book, "aws", "eu-west-9", "p5.48xlarge", unit="instance-hour")
    plan = price_or_bound(book, "aws", "eu-west-9", "p5.48xlarge", "savings_plan", "1y", unit="instance-hour")
    assert isinstance(on_demand, Price)
    assert isinstance(plan, Price)
    assert plan.usd == on_demand.usd
    assert plan.row.source == f"at most on demand in eu-west-9, ${on_demand.usd:f}, {on_demand.row.source}"


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_no_commitment_of_the_book_costs_more_than_the_same_on_demand(book: PriceBook, cloud: str) -> None:
    both = [
        (row.usd_per_unit, on_demand.usd)
        for row in book.rows(cloud)
        if row.purchase in ("reserved", "savings_plan") and not row.zone
        for on_demand in [book.lookup(cloud, row.region, row.sku, unit=row.unit)]
        if isinstance(on_demand, Price)
    ]
    assert len(both) > 50
    assert all(committed <= on_demand for committed, on_demand in both)


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
