"""Regions of Azure."""

from __future__ import annotations

from gpucluster.core.catalog.azure_regions import azure_regions
from gpucluster.core.catalog.tables import read_rows, rows


def test_every_region_stands_once_and_zones_are_known_of_those_in_the_documentation() -> None:
    names = [name for row in rows("azure_regions") for name in row["regions"].split()]
    assert sorted(names) == sorted(azure_regions())
    assert [azure_regions()[name] for name in ("eastus", "westus", "jioindiawest")] == [True, False, None]


def test_every_region_that_has_prices_is_one() -> None:
    announced = {"denmarkeast", "indiasouthcentral", "israelnorthwest", "southcentralus2"}  # sold from, listed nowhere
    assert {row["region"] for row in read_rows("cost/prices/azure.csv")} - {*azure_regions()} == {"global", *announced}
