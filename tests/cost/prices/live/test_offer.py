"""Units of the clouds' price lists, one by one, in those of the book."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost.prices.live.query import factor

FACTORS = {
    ("hour", "Hrs"): "1",
    ("hour", "1 Hour"): "1",
    ("hour", "h"): "1",
    ("GiB-month", "GB-Mo"): "1",
    ("GiB-month", "1 GB/Month"): "1",
    ("GiB-month", "GiBy.mo"): "1",
    ("GiB-month", "1 GiB/Hour"): "730",
    ("GiB-month", "GiBy.h"): "730",
    ("GiB", "GB"): "1",
    ("GiB", "GiBy"): "1",
    ("IOPS-month", "IOPS-Mo"): "1",
    ("IOPS-month", "h"): "730",
    ("MiBps-month", "MiBps-Mo"): "1",
    ("MiBps-month", "mo"): "1",
    ("MiBps-month", "h"): "730",
    ("LCU-hour", "LCU-Hrs"): "1",
    ("disk-month", "1/Month"): "1",
    ("1M-samples", "10M"): "0.1",
    ("month", "Keys"): "1",
    ("instance-hour", "Hrs"): "1",
    ("instance-hour", "GiBy.h"): "1",
    ("VM-hour", "GiB-hour"): "1",
}
PARTS = {
    ("GiB-month", "1 TiB/Month"): (1, 1024),
    ("GiB-month", "1 TiB/Hour"): (730, 1024),
    ("MiBps-month", "GiBps-mo"): (1, 1024),
    ("VM-hour", "GiBy.mo"): (1, 730),
}


@pytest.mark.parametrize(("units", "expected"), FACTORS.items())
def test_a_price_of_a_live_unit_becomes_one_of_the_book(units: tuple[str, str], expected: str) -> None:
    assert factor(*units) == Decimal(expected)


@pytest.mark.parametrize(("units", "expected"), PARTS.items())
def test_a_larger_unit_is_divided(units: tuple[str, str], expected: tuple[int, int]) -> None:
    assert factor(*units) == Decimal(expected[0]) / expected[1]


@pytest.mark.parametrize("units", [("hour", "GB-Mo"), ("GiB", "Hrs"), ("furlong", "Hrs"), ("VM-hour", "GB-Mo")])
def test_an_unknown_pair_of_units_has_no_price(units: tuple[str, str]) -> None:
    assert factor(*units) is None
