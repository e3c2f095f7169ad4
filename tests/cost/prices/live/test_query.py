"""The tables of queries, and the price that a query finds among offers."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices.live.query import Doubt, Offer, Part, Query, Tier, factor, quoted
from gpucluster.cost.prices.live.refresh import CLOUDS, not_covered, wanted
from gpucluster.cost.prices.live.sources import condition, queries
from gpucluster.cost.prices.row import PriceRow


def _offer(name: str, usd: str = "2", unit: str = "Hrs", *more: tuple[str, str], **fields: str) -> Offer:
    tiers = (Tier(Decimal(0), Decimal(usd)), *(Tier(Decimal(start), Decimal(price)) for start, price in more))
    return Offer(name, fields, unit, tiers, "2026-11-20")


def _query(*parts: tuple[str, str], unit: str = "hour", tiers: str = "one") -> Query:
    made = tuple(Part((condition(text),), Decimal(count)) for count, text in parts)
    return Query("thing", "nat", unit, "on_demand", "", "Service", tiers, made, "here")  # type: ignore[arg-type]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_queries_are_for_things_of_the_book_or_for_what_it_says_is_missing(cloud: str) -> None:
    known = {(row.sku, row.unit) for row in PriceBook().rows(cloud)}
    missing = {
        (one.sku, one.unit)
        for one in queries(cloud)
        if not any(one.names(sku) and unit == one.unit for sku, unit in known)
    }
    expected = {
        "aws": {("fsx-lustre-scratch2-ssd", "GiB-month")},
        "azure": set[tuple[str, str]](),
        "gcp": {
            ("hyperdisk-balanced-iops", "IOPS-month"),
            ("hyperdisk-balanced-throughput", "MiBps-month"),
            ("gcs-coldline", "GiB-month"),
            ("gcs-archive", "GiB-month"),
            ("gcs-class-a-operations", "1000-requests"),
            ("gcs-class-b-operations", "1000-requests"),
            ("filestore-basic-ssd", "GiB-month"),
            ("filestore-regional", "GiB-month"),
        },
    }
    assert missing == expected[cloud]
    hoped = {(one.query.sku, one.query.unit) for one in wanted(cloud, PriceBook().rows(cloud)) if not one.rows}
    assert missing <= hoped


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_query_compiles_has_a_source_and_stands_once(cloud: str) -> None:
    keys = [(one.sku, one.unit, one.purchase, one.term) for one in queries(cloud)]
    assert len(set(keys)) == len(keys)
    for query in queries(cloud):
        assert query.source
        for part in query.of("a3.8x", "us-east-1").parts:
            assert part.count > 0
            assert [one.value for one in part.conditions if one.how != "==" and not re.compile(one.value)] == []
            assert "{" not in str(part).replace("{2}", "")


NOT_COVERED = {
    "aws": {
        "in a zone", "capacity_block", "support", "amp-agentless-collector", "amp-samples-collected",
        "apigateway-websocket-messages", "apigateway-websocket-minutes", "directory-microsoftad-enterprise",
        "directory-microsoftad-standard",
        "dx-connection-1g-hour", "global-accelerator-hour", "route53-queries",
    },
    "azure": {
        "api-management-consumption", "automation-job-minute", "backup-instance-up-to-500-gib",
        "cdn-standard_microsoft", "dns-queries-private", "dns-queries-public", "dns-zone-private", "dns-zone-public",
        "functions-executions", "inter-region-egress", "keyvault-key-hsm", "managed-redis-balanced_b3",
        "managed-redis-computeoptimized_x10", "managed-redis-memoryoptimized_m10", "signalr-premium-unit",
        "signalr-standard-unit", "sql-database-bc-storage", "sql-database-gp-storage", "sql-database-p6",
        "sql-database-s1", "sql-database-s12", "sql-database-serverless-vcore-hour", "support",
        "vnet-peering-intra-region",
    },
    "gcp": {
        "in several regions", "dws_calendar", "support", "cloud-logging-network-ingest", "cloud-nat-ip-hour",
        "egress-same-continent", "inter-zone", "parallelstore",
    },
}  # fmt: skip
"""What no list is asked for: by where or how it is sold, else by its SKU."""


def _kind(row: PriceRow) -> str:
    if "/" in row.region:
        return "in a zone"
    if row.region.startswith(("multi-region-", "dual-region-")):
        return "in several regions"
    if row.sku.startswith("support-"):
        return "support"
    return row.sku if row.purchase == "on_demand" else row.purchase


@pytest.mark.parametrize(("cloud", "least"), [("aws", 0.95), ("azure", 0.99), ("gcp", 0.99)])
def test_most_of_the_book_has_a_live_list_and_the_rest_is_named(cloud: str, least: float) -> None:
    rows = PriceBook().rows(cloud)
    asked = list(wanted(cloud, rows))
    left = not_covered(rows, asked)
    assert {row for one in asked for row in one.rows} | {*left} == {row for row in rows if not row.alt}
    assert len({row for one in asked for row in one.rows}) == sum(len(one.rows) for one in asked)
    assert len(left) <= (1 - least) * sum(not row.alt for row in rows)
    assert {_kind(row) for row in left} == NOT_COVERED[cloud]


def test_a_query_for_every_machine_is_made_for_one() -> None:
    plan = next(query for query in queries("aws") if (query.purchase, query.term) == ("savings_plan", "1y"))
    query = plan.of("p5.48xlarge", "us-east-1")
    shown = str(query.parts[0])
    assert "discountedinstancetype==p5.48xlarge" in shown
    assert r"discountedusagetype=~(?:[A-Z0-9]+-)?BoxUsage:p5\.48xlarge" in shown


def test_a_query_for_many_is_made_for_one_and_its_region() -> None:
    by_sku = {query.sku: query for query in (*queries("aws"), *queries("gcp"))}
    one = by_sku["rds-mysql-*"]
    assert [one.names(sku) for sku in ("rds-mysql-db.t3.large", "rds-mysql-db.t3.large-multi-az")] == [True, False]
    assert "instancetype==db.t3.large; " in str(one.of("rds-mysql-db.t3.large", "us-east-1").parts[0])
    assert str(by_sku["bigquery-queries"].of("bigquery-queries", "europe-west4").parts[0]).endswith("(europe-west4)")


def test_where_a_list_has_its_own_unit_the_query_says_how_many_are_one_of_the_book() -> None:
    query = next(one for one in queries("aws") if one.sku == "lambda-requests")
    fields = {"termtype": "OnDemand", "productfamily": "Serverless", "group": "AWS-Lambda-Requests"}
    found = quoted(query, [_offer("R", "0.0000002", "Requests", usagetype="USE1-Request", **fields)])
    assert found is not None and found.tiers == ((Decimal(0), Decimal("0.2")),)


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
         "2 offers match, expected one: a at $2 per Hrs, b at $3 per Hrs"),
        (_query(("1", "it==x")), [Offer("a", {"it": "x"}, "Hrs", (), "2026-11-20")], "a has no price"),
        (_query(("1", "it==x")), [_offer("a", "0", it="x")], "a costs $0, which is not a price"),
        (_query(("1", "it==x")), [_offer("a", "1", "Days", it="x")],
         "a is sold per 'Days', which is not known as a unit of hour"),
        (_query(("1", "it==x")), [_offer("a", "2", "Hrs", ("10", "1"), it="x")],
         "a has 2 tiers, expected one price"),
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
