"""Carbon intensity of a region's electricity, and the power its buildings use in addition to the machines.

`grid.csv` is location-based: the emissions of the grid, regardless of certificates a cloud buys. Google publishes its
own yearly figures; those of the other clouds are emission factors of the local grid, by another method, so that a
difference between two clouds in one place means little. Sources: GoogleCloudPlatform/region-carbon-info,
data/yearly/2025.csv; cloud-carbon-footprint/cloud-carbon-footprint, packages/{aws,azure,gcp}/src/domain, whose year is
not stated.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Grid:
    """g_per_kwh: grams of CO2e per kWh. pue: power of the building per power of machines. sources: of both."""

    provider: str
    region: str
    g_per_kwh: Decimal
    year: str
    source: str
    pue: Decimal
    pue_source: str


def grid_of(provider: str, region: str) -> Grid | None:
    """The grid of a region, None without a known source."""
    return _grids().get((provider, region))


@cache
def _grids() -> Mapping[tuple[str, str], Grid]:
    pues = {row["provider"]: row for row in _rows("pue.csv")}
    return {
        (row["provider"], row["region"]): Grid(
            row["provider"],
            row["region"],
            Decimal(row["g_co2e_per_kwh"]),
            row["year"],
            row["source"],
            Decimal(pues[row["provider"]]["pue"]),
            pues[row["provider"]]["source"],
        )
        for row in _rows("grid.csv")
    }


def _rows(name: str) -> list[dict[str, str]]:
    with (Path(__file__).parent / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
