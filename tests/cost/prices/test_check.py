"""What the price book is tested for, on books that have it."""

from __future__ import annotations

import datetime
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.cost.prices.check import check_prices
from tests.says import Says

TODAY = datetime.date(2026, 11, 21)
ROW = PriceRow(
    provider="aws", region="us-east-1", sku="ebs-gp3", kind="storage", unit="GiB-month", purchase="on_demand", term="",
    usd_per_unit=Decimal("0.08"), as_of="2026-10-10", source="page", note="", basis="official",
)  # fmt: skip

APART = (
    "aws us-east-1 ebs-gp3 per GiB-month, on_demand: $0.08 (2026-10-10, official) against $0.1 (2026-10-10, "
    "third-party), +25.0%"
)


def _found(*rows: PriceRow) -> list[tuple[str, str, bool]]:
    """Findings on rows, but for machines that such a small book cannot have."""
    return [
        (one.kind, one.what, one.matters)
        for one in check_prices(rows, TODAY)
        if "no price in any region" not in one.what
    ]


def _row(**changes: Any) -> PriceRow:
    return replace(ROW, **changes)


def _machine(sku: str, usd: str, **changes: Any) -> PriceRow:
    return _row(sku=sku, kind="compute", unit="instance-hour", usd_per_unit=Decimal(usd), **changes)


def test_sizes_of_one_price_and_regions_three_times_apart_are_no_finding() -> None:
    spot = {"purchase": "spot"}
    assert (
        _found(
            _machine("m7i.xlarge", "0.2"),
            _machine("m7i.2xlarge", "0.2"),
            _machine("m7i.xlarge", "0.6", region="us-west-2"),
            _machine("m7i.xlarge", "0.05", **spot),
            _machine("m7i.xlarge", "0.2", region="us-west-2", **spot),
        )
        == []
    )


def test_a_fresh_row_is_no_finding() -> None:
    assert _found(ROW) == []


@pytest.mark.parametrize(
    ("rows", "finding"),
    [
        (
            [ROW, _row(source="other")],
            ("duplicate", Says("us-east-1", "ebs-gp3", "GiB-month", "on_demand", "2", "not"), True),
        ),
        (
            [_row(usd_per_unit=Decimal(0))],
            ("value", Says("us-east-1", "ebs-gp3", "GiB-month", "on_demand", "$0", "not"), True),
        ),
        (
            [_row(as_of="2026-12-01")],
            ("date", Says("us-east-1", "ebs-gp3", "GiB-month", "on_demand", "as_of", "2026-12-01"), True),
        ),
        (
            [_row(as_of="recently")],
            ("date", Says("us-east-1", "ebs-gp3", "GiB-month", "on_demand", "as_of", "recently", "no"), True),
        ),
        (
            [_row(as_of="2024-07-01")],
            ("age", Says("1", "1", "over", "90", "873"), False),
        ),
        (
            [ROW, _row(usd_per_unit=Decimal("0.1"), note="note=alt", basis="third-party")],
            ("disagreement", APART, True),
        ),
        (
            [ROW, _row(usd_per_unit=Decimal("0.1"), note="note=alt; STALE: before the cut", basis="third-party")],
            ("disagreement", APART, False),
        ),
        (
            [_machine("m7i.xlarge", "0.21"), _machine("m7i.2xlarge", "0.2")],
            ("size", "aws us-east-1 m7i.xlarge per instance-hour, on_demand: $0.21, m7i.2xlarge is $0.2", True),
        ),
        (
            [_machine("m7i.xlarge", "0.61", region="us-west-2"), _machine("m7i.xlarge", "0.2")],
            ("outlier", "aws us-west-2 m7i.xlarge per instance-hour, on_demand: $0.61, in us-east-1 it is $0.2", True),
        ),
    ],
)  # fmt: skip
def test_each_fault_is_found_and_judged(rows: list[PriceRow], finding: tuple[str, str, bool]) -> None:
    assert _found(*rows) == [finding]


def test_tiers_and_agreeing_second_opinions_are_no_findings() -> None:
    tiers = [_row(note=f"tier {n}: up to {n} TB", usd_per_unit=Decimal(n + 1)) for n in range(3)]
    assert _found(*tiers) == []
    assert _found(_row(usd_per_unit=Decimal(0), note="tier 0: first 100 GB/month free")) == []
    assert _found(ROW, _row(usd_per_unit=Decimal("0.081"), note="note=alt; agrees")) == []


def test_an_h100_price_over_a_year_old_is_named_and_does_not_matter() -> None:
    machines = [
        _row(sku=sku, unit="instance-hour", as_of="2025-11-01", basis="computed" if sku == "p5.4xlarge" else "official")
        for sku in ("p5.48xlarge", "p5.4xlarge", "m7i.xlarge")
    ]
    assert [(what.split()[2], matters) for _, what, matters in _found(*machines) if " days old (" in what] == [
        ("p5.48xlarge", False),
        ("p5.4xlarge", False),
    ]


def test_h100_machines_without_a_price_are_named_by_region() -> None:
    rows = [
        _row(sku="p5.48xlarge", unit="instance-hour"),
        _row(sku="p5.48xlarge", unit="instance-hour", region="us-west-2"),
        _row(sku="p5.4xlarge", unit="instance-hour", region="us-west-2"),
    ]
    assert _found(*rows) == [("missing", "aws us-east-1: no price of p5.4xlarge", False)]
    nowhere = [one for one in check_prices(rows[:2], TODAY) if one.matters]
    assert ("aws p5.4xlarge: no price in any region", True) in [(one.what, one.matters) for one in nowhere]


def test_the_command_ends_with_1_where_something_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = PriceBook.rows

    def with_another(book: PriceBook, provider: str) -> tuple[PriceRow, ...]:
        return (*whole(book, provider), ROW) if provider == "aws" else whole(book, provider)

    monkeypatch.setattr(PriceBook, "rows", with_another)
    run = CliRunner().invoke(main, ["cost", "prices", "check"])
    assert run.exit_code == 1
    assert run.output.splitlines()[0] == Says("us-east-1", "ebs-gp3", "GiB-month", "on_demand", "2", "not")
    assert "; findings: 1 that matter (!), " in run.output


OLD = ("eu-north-1", "ap-southeast-3", "ca-central-1", "eu-west-2", "us-west-1")
"""Regions whose H100 price only a list of 2025 has; `gpucluster cost prices refresh` reads a newer one."""


def test_the_price_book_has_nothing_that_matters_and_its_old_h100_prices_are_known() -> None:
    """Ages are those of a fixed day, so that time alone fails no test; test_data holds dates against the clock."""
    book = PriceBook(today=TODAY)
    rows = [row for provider in book.providers for row in book.rows(provider)]
    found = check_prices(rows, TODAY)
    assert [one.what for one in found if one.kind == "age" and " days old (" in one.what] == [
        f"aws {region} p5.48xlarge per instance-hour, on_demand: 382 days old (2025-11-04)" for region in OLD
    ]
    assert [one for one in found if one.matters and one.kind != "date"] == []


def test_a_region_far_from_all_others_is_good_to_know() -> None:
    usual = [_row(region=region) for region in ("us-east-1", "us-east-2", "us-west-2")]
    far = _row(region="mars-1", usd_per_unit=Decimal("0.17"))
    said = Says("mars-1", "ebs-gp3", "GiB-month", "on_demand", "$0.17", "4", "$0.08")
    assert _found(*usual, far) == [("outlier", said, False)]
    assert _found(*usual, _row(region="mars-1", usd_per_unit=Decimal("0.16"))) == []
    assert _found(usual[0], far) == []


def test_a_way_to_buy_that_costs_more_than_on_demand_matters() -> None:
    spot = _row(purchase="spot", usd_per_unit=Decimal("0.09"))
    said = Says("us-east-1", "ebs-gp3", "GiB-month", "$0.09", "$0.08")
    assert _found(ROW, spot) == [("outlier", said, True)]
    assert _found(ROW, _row(purchase="spot", usd_per_unit=Decimal("0.08"))) == []
    assert _found(ROW, _row(purchase="spot", usd_per_unit=Decimal("0.09"), note="note=alt; someone said so")) == []
