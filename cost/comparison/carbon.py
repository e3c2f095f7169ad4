"""Tonnes of CO2e of machines: from their power, the building's overhead, and the grid of their region.

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
from typing import Final

__all__ = ["KW_PER_NODE", "Grid", "grid_of", "tonnes_a_year"]


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


HOURS_PER_YEAR: Final = Decimal(8760)

KW_PER_NODE: Final = {"h100": Decimal(10), "h200": Decimal(10)}
"""GPU of a node with eight in SXM form -> kW under load. Source: a buyer's guide to H100 clusters; an H200 has the same
700 W as an H100 (NVIDIA data sheets). The power of other nodes is unknown here."""


def tonnes_a_year(nodes: Decimal, kw_per_node: Decimal, pue: Decimal, kg_per_kwh: Decimal) -> Decimal:
    """Tonnes of CO2e of nodes under load all year. kg_per_kwh: carbon intensity of the electricity."""
    return nodes * kw_per_node * pue * HOURS_PER_YEAR * kg_per_kwh / 1000
