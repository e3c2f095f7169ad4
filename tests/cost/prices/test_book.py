"""Looking prices up."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.prices.row import as_of_date
from tests.cases import cases


def test_the_primary_row_wins_over_second_opinions(book: PriceBook) -> None:
    found = book.lookup("aws", "us-east-1", "p5.48xlarge", unit="instance-hour")
    assert isinstance(found, Price)
    assert (found.usd, found.row.as_of, found.confidence, found.rankable) == (
        Decimal("55.04"),
        "2026-10-10",
        "high",
        True,
    )
    assert not found.row.alt


def test_second_opinions_alone_are_low_and_never_ranked(book: PriceBook) -> None:
    found = book.lookup("nebius", "eu-north1", "gpu-h200-sxm_8gpu-128vcpu-1600gb", unit="instance-hour")
    assert isinstance(found, Price)
    assert (found.usd, found.confidence, found.rankable) == (Decimal("28.0"), "low", False)


def test_a_graduated_price_is_that_of_its_first_tier_and_shows_all(book: PriceBook) -> None:
    found = book.lookup("aws", "us-east-1", "s3-standard", unit="GiB-month")
    assert isinstance(found, Price)
    assert found.usd == Decimal("0.023")
    assert [tier.usd_per_unit for tier in found.tiers] == [Decimal("0.023"), Decimal("0.022"), Decimal("0.021")]


@cases
def test_a_missing_price_names_the_nearest_known_rows(
    book: PriceBook, region: str, sku: str, purchase: str, unit: str, reason: str
) -> None:
    found = book.lookup("aws", region, sku, purchase, unit=unit)
    reason = reason.replace("{more}", str(_more(book, "aws", sku)))
    assert found == NotKnown(reason, f"aws,{region},{sku},{unit},{purchase},")


def _more(book: PriceBook, provider: str, sku: str) -> int:
    """Kinds of price that a book has of a thing, but for the four that are named."""
    rows = (row for row in book.rows(provider) if row.sku == sku and not row.zone)
    return len({(row.region, row.purchase, row.term, row.unit) for row in rows}) - 4


def test_the_nearest_regions_are_named_first(book: PriceBook) -> None:
    found = book.lookup("gcp", "europe-west6", "a3-megagpu-8g", unit="instance-hour")
    assert found == NotKnown(
        "no price for a3-megagpu-8g on_demand in gcp europe-west6 per instance-hour; known: europe-west4 on_demand, "
        "europe-west1 on_demand, europe-west3 on_demand, us-central1 on_demand "
        f"and {_more(book, 'gcp', 'a3-megagpu-8g')} more",
        "gcp,europe-west6,a3-megagpu-8g,instance-hour,on_demand,",
    )


def test_an_unknown_provider_has_no_rows(book: PriceBook) -> None:
    assert isinstance(book.lookup("nowhere", "x", "y", unit="hour"), NotKnown)
    assert book.rows("nowhere") == ()


@pytest.mark.parametrize(
    ("as_of", "date"),
    [("2026-10-10", datetime.date(2026, 10, 10)), ("2026-10", datetime.date(2026, 10, 1)), ("2026", None)],
)
def test_a_date_means_the_earliest_day_it_can(as_of: str, date: datetime.date | None) -> None:
    assert as_of_date(as_of) == date


@pytest.mark.parametrize(
    ("today", "sku", "confidence"),
    [
        (datetime.date(2026, 11, 21), "p5.48xlarge", "high"),
        (datetime.date(2027, 1, 8), "p5.48xlarge", "high"),
        (datetime.date(2027, 1, 9), "p5.48xlarge", "medium"),
        (datetime.date(2026, 11, 21), "m6i.xlarge", "medium"),
        (datetime.date(2026, 9, 6), "amp-agentless-collector", "low"),
    ],
)
def test_confidence_falls_with_age_and_with_the_kind_of_source(today: datetime.date, sku: str, confidence: str) -> None:
    found = PriceBook(today=today).lookup(
        "aws", "us-east-1", sku, unit="hour" if sku.startswith("amp-") else "instance-hour"
    )
    assert isinstance(found, Price)
    assert found.confidence == confidence
