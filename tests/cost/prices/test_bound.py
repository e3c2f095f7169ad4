"""Between what two prices one lies that the book does not have."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import NotKnown, Price, PriceRow
from gpucluster.cost.prices.bounds import Bound, bound_by_ratio, bound_of, by_region, within_on_demand
from gpucluster.cost.prices.lookup import price_or_bound
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
    assert bound_of([_row("a", "0", "tier 1: first GiB free")]) is None


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


def test_the_price_of_another_thing_here_times_the_ratio_of_the_two_in_other_regions_is_the_bound() -> None:
    wanted = by_region([_row("a", "3"), _row("b", "4"), _row("c", "6.6")])
    other = by_region([_row("here", "2"), _row("a", "1"), _row("b", "1"), _row("c", "2")])
    found = bound_by_ratio("here", wanted, other, apart=Decimal(2))
    assert found is not None
    assert found == Bound(
        Decimal(3), Decimal(16), Says("thing", "$2", "here", "3 to 4", "3 other regions", "2"), "2026-10"
    )
    assert bound_by_ratio("here", wanted, other, least=4) is None
    assert bound_by_ratio("elsewhere", wanted, other) is None


def test_a_ratio_of_few_regions_may_be_further_off() -> None:
    found = bound_by_ratio("here", by_region([_row("a", "3")]), by_region([_row("here", "2"), _row("a", "1")]))
    assert found is not None
    assert (found.least, found.most) == (Decimal("4.95867"), Decimal("7.26"))


ON_DEMAND = Bound(Decimal(10), Decimal(10), "", "2026-09")


def test_spot_costs_no_more_than_on_demand_and_no_less_than_the_discount_that_the_cloud_states() -> None:
    bound = Bound(Decimal("0.5"), Decimal(12), "by others", "2026-10")
    assert within_on_demand("aws", "spot", ON_DEMAND, "what it is on demand", bound) == Bound(
        Decimal(1), Decimal(10), Says("by others", "at most what it is on demand", "10%", "90%", "AWS"), "2026-09"
    )
    inside = Bound(Decimal(3), Decimal(9), "by others", "2026-10")
    assert within_on_demand("aws", "spot", ON_DEMAND, "what it is on demand", inside) == inside
    above, below = (Bound(Decimal(a), Decimal(b), "by others", "2026-10") for a, b in ((11, 12), (1, 2)))
    for known in (None, above, below):
        assert within_on_demand("gcp", "reserved", ON_DEMAND, "what it is on demand", known) == Bound(
            Decimal(3), Decimal(10), Says("at most what it is on demand", "30%", "70%", "Google"), "2026-09"
        )


def test_other_purchase_options_have_no_stated_discount() -> None:
    assert within_on_demand("aws", "capacity_block", ON_DEMAND, "what it is on demand", None) is None


@pytest.mark.parametrize(
    ("place", "purchase", "term", "least", "most", "rule"),
    [
        (("azure", "eastus", "Standard_ND96isr_H100_v5"), "reserved", "1y", "52.0000", "76.1332",
         Says("on demand", "$98.32", "eastus", "0.6400", "1 other region", "1.21")),
        (("aws", "us-east-1", "p5.48xlarge"), "savings_plan", "3y", "18.7136", "55.04",
         Says("at most on demand in us-east-1, $55.04", "34%", "66%", "AWS")),
        (("aws", "us-east-1", "p5.48xlarge"), "instance_savings_plan", "3y", "15.4112", "55.04",
         Says("at most on demand in us-east-1, $55.04", "28%", "72%", "AWS")),
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
    assert plan.row.source == Says(f"at most on demand in eu-west-9, ${on_demand.usd:f}, {on_demand.row.source}")


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


def test_a_floor_names_what_it_is_a_share_of() -> None:
    low = Bound(Decimal("0.5"), Decimal(9), "by others", "2026-10")
    found = within_on_demand("aws", "spot", ON_DEMAND, "on demand, $10", low)
    assert found is not None
    assert found.rule == "by others; at least 10% of on demand, $10, as Spot Instances save up to 90% (AWS)"
    between = Bound(Decimal(8), Decimal(10), "", "2026-09")
    found = within_on_demand("aws", "spot", between, "on demand, $10", None)
    assert found is not None
    assert (found.least, found.rule) == (
        Decimal("0.8"),
        "at most on demand, $10; at least 10% of the lower bound of it, as Spot Instances save up to 90% (AWS)",
    )


def test_a_machine_with_gpus_is_bounded_by_itself_elsewhere_sooner_than_by_one_without(book: PriceBook) -> None:
    found = price_or_bound(book, "aws", "sa-east-1", "p6-b200.48xlarge", unit="instance-hour")
    assert isinstance(found, Price)
    assert found.instead_of is not None
    assert found.instead_of.bound is not None
    assert found.instead_of.bound.rule == Says("5 other regions", "us-east-1", "ap-south-1")
