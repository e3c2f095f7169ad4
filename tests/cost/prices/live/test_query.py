"""The tables of queries, and the price that a query finds among offers."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices.live.offer import Offer, Tier, factor
from gpucluster.cost.prices.live.queries import condition, queries
from gpucluster.cost.prices.live.query import EVERY_MACHINE, Doubt, Part, Query, quoted
from gpucluster.cost.prices.live.refresh import CLOUDS


def _offer(name: str, usd: str = "2", unit: str = "Hrs", *more: tuple[str, str], **fields: str) -> Offer:
    tiers = (Tier(Decimal(0), Decimal(usd)), *(Tier(Decimal(start), Decimal(price)) for start, price in more))
    return Offer(name, fields, unit, tiers, "2026-11-20")


def _query(*parts: tuple[str, str], unit: str = "hour", tiers: str = "one") -> Query:
    made = tuple(Part((condition(text),), Decimal(count)) for count, text in parts)
    return Query("thing", "nat", unit, "on_demand", "", "Service", tiers, made, "here")  # type: ignore[arg-type]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_queries_are_for_things_of_the_book_or_for_what_it_says_is_missing(cloud: str) -> None:
    known = {(row.sku, row.unit) for row in PriceBook().rows(cloud)}
    missing = {(one.sku, one.unit) for one in queries(cloud) if one.sku != EVERY_MACHINE} - known
    expected = {
        "aws": {("fsx-lustre-persistent2-ssd-500", "GiB-month")},
        "azure": {(f"AMLFS-Durable-Premium-{tier}", "GiB-month") for tier in (40, 125, 250, 500)},
        "gcp": set[tuple[str, str]](),
    }
    assert missing == expected[cloud]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_query_compiles_has_a_source_and_stands_once(cloud: str) -> None:
    keys = [(one.sku, one.unit, one.purchase, one.term) for one in queries(cloud)]
    assert len(set(keys)) == len(keys)
    for query in queries(cloud):
        assert query.source
        for part in query.of("a3.8x").parts:
            assert part.count > 0
            assert [one.value for one in part.conditions if one.how != "==" and not re.compile(one.value)] == []
            assert "{" not in str(part).replace("{2}", "")


def test_a_query_for_every_machine_is_made_for_one() -> None:
    query = queries("aws")[1].of("p5.48xlarge")
    shown = str(query.parts[0])
    assert "discountedinstancetype==p5.48xlarge" in shown
    assert r"discountedusagetype=~(?:[A-Z0-9]+-)?BoxUsage:p5\.48xlarge" in shown


def test_one_offer_gives_its_price_in_the_unit_of_the_book() -> None:
    found = quoted(_query(("1", "usage=~(?:[A-Z0-9]+-)?NatHours")), [_offer("a", usage="EUW1-NatHours"), _offer("b")])
    assert found is not None
    assert (found.tiers, [offer.id for offer in found.offers]) == (((Decimal(0), Decimal(2)),), ["a"])
    per_month = quoted(_query(("1", "it==x"), unit="MiBps-month"), [_offer("a", "40.96", "GiBps-mo", it="x")])
    assert per_month is not None and per_month.tiers == ((Decimal(0), Decimal("0.04")),)


def test_parts_are_counted_and_summed() -> None:
    offers = [_offer("core", "0.03", "h", it="core"), _offer("ssd", "73", "GiBy.mo", it="ssd")]
    found = quoted(_query(("8", "it==core"), ("2", "it==ssd"), unit="instance-hour"), offers)
    assert found is not None and found.tiers == ((Decimal(0), Decimal("0.44")),)


def test_the_tiers_of_a_graduated_price_are_all_kept_or_the_first_above_zero_taken() -> None:
    offer = _offer("a", "0", "GB", ("100", "0.09"), ("10240", "0.05"), it="x")
    every, first = (quoted(_query(("1", "it==x"), unit="GiB", tiers=tiers), [offer]) for tiers in ("all", "first"))
    assert every is not None and first is not None
    assert every.tiers == ((0, 0), (100, Decimal("0.09")), (10240, Decimal("0.05")))
    assert first.tiers == ((0, Decimal("0.09")),)


def test_nothing_that_matches_is_no_price() -> None:
    assert quoted(_query(("1", "it==x")), [_offer("a", it="y")]) is None


@pytest.mark.parametrize(
    ("query", "offers", "message"),
    [
        (_query(("1", "it==x")), [_offer("a", it="x"), _offer("b", "3", it="x")],
         "2 offers match where one is expected: a at $2 per Hrs, b at $3 per Hrs"),
        (_query(("1", "it==x")), [Offer("a", {"it": "x"}, "Hrs", (), "2026-11-20")], "a has no price"),
        (_query(("1", "it==x")), [_offer("a", "0", it="x")], "a costs $0, which is no price"),
        (_query(("1", "it==x")), [_offer("a", "1", "Days", it="x")],
         "a is sold per 'Days', which is not known as a unit of hour"),
        (_query(("1", "it==x")), [_offer("a", "2", "Hrs", ("10", "1"), it="x")],
         "a has 2 tiers where one price is expected"),
        (_query(("1", "it==x"), tiers="all"), [_offer("a", "2", "Hrs", ("10", "0"), it="x")],
         "a costs $0 above its first tier"),
        (_query(("1", "it==x"), ("2", "it=~y.*")), [_offer("a", it="x")],
         "no offer has it=~y.*, though the other parts are there"),
    ],
)  # fmt: skip
def test_what_is_not_one_price_above_zero_is_doubted(query: Query, offers: list[Offer], message: str) -> None:
    with pytest.raises(Doubt, match=re.escape(message)):
        quoted(query, offers)


def test_units_that_are_not_known_have_no_factor() -> None:
    assert factor("GiB-month", "1 GiB/Hour") == 730
    assert factor("instance-hour", "GiBy.mo") == 1 / Decimal(730)
    assert (factor("hour", "GB"), factor("USD-of-monthly-spend", "Hrs")) == (None, None)
