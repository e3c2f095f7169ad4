"""How often spot is taken back: set, published or assumed."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

import gpucluster.cost.purchasing
from gpucluster.core.catalog.machines import machines
from gpucluster.cost.purchasing import Settings
from gpucluster.cost.purchasing.spot_interruption import ASSUMED, interruption_of
from tests.says import Says

TABLE = Path(gpucluster.cost.purchasing.__file__).parent / "spot_interruption.csv"


@pytest.mark.parametrize(
    ("region", "least", "most", "said"),
    [
        ("eu-north-1", "0", "0.05", "less than 5% of machines"),
        ("us-west-2", "0.05", "0.1", "5 to 10% of machines"),
        ("us-east-2", "0.05", "0.1", "5 to 10% of machines"),
        ("eu-west-2", "0.1", "0.15", "10 to 15% of machines"),
        ("us-east-1", "0.2", None, "more than 20% of machines"),
    ],
)
def test_a_machine_of_aws_has_the_class_of_its_region(region: str, least: str, most: str | None, said: str) -> None:
    found = interruption_of("p5.48xlarge", region, Settings())
    assert (found.month_least, found.month_most) == (Decimal(least), None if most is None else Decimal(most))
    assert (found.as_of, found.open) == ("2025-06-28", most is None)
    assert found.text == Says(said, "AWS", "Spot", "Advisor", "2025-06-28")


def test_a_share_a_month_is_what_an_hour_leaves_730_times() -> None:
    found = interruption_of("p5.48xlarge", "us-west-2", Settings())
    assert round((1 - found.an_hour) ** 730, 9) == Decimal("0.9")  # at the most of 5 to 10 %
    above = interruption_of("p5.48xlarge", "us-east-1", Settings())
    assert round((1 - above.an_hour) ** 730, 9) == Decimal("0.8")  # at the least of more than 20 %


@pytest.mark.parametrize(
    ("machine", "region"),
    [("a3-megagpu-8g", "us-central1"), ("Standard_ND96isr_H100_v5", "eastus"), ("p5.48xlarge", "eu-west-3")],
)
def test_where_nothing_is_published_the_rate_is_said_to_be_assumed(machine: str, region: str) -> None:
    found = interruption_of(machine, region, Settings())
    assert (found.an_hour, found.month_least, found.source) == (ASSUMED, None, "")
    assert found.text == Says("2.0%", "reclaimed", "no", "published")


def test_a_rate_that_is_set_goes_before_a_class() -> None:
    found = interruption_of("p5.48xlarge", "us-east-1", Settings(interruption_rate=Decimal("0.1")))
    assert (found.an_hour, found.text) == (Decimal("0.1"), "10.0% of nodes reclaimed per hour")


def test_the_table_has_each_machine_of_aws_once_a_region_and_every_row_can_be_read() -> None:
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    places = [(row["machine"], row["region"]) for row in rows]
    assert len(places) == len(set(places)) == 36
    assert {machines()[machine].cloud for machine, _ in places} == {"aws"}
    assert all(interruption_of(machine, region, Settings()).source for machine, region in places)
