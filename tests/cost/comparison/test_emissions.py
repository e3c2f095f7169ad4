"""CO2e of machines, and the grids it is taken from."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.core.catalog.machines import machines
from gpucluster.cost import PriceBook
from gpucluster.cost.comparison.carbon import grid_of, tonnes_a_year


def test_32_nodes_at_10_kw_stand_for_1241_tonnes_a_year() -> None:
    found = tonnes_a_year(Decimal(32), Decimal(10), Decimal("1.2"), Decimal("0.369"))
    assert found == Decimal("1241.256960")  # 320 kW x 1.2 x 8,760 h x 0.369 kg


@pytest.mark.parametrize(
    ("provider", "region", "grams", "pue"),
    [
        ("aws", "us-east-1", "379.069", "1.135"),
        ("aws", "eu-north-1", "8.8", "1.135"),
        ("azure", "eastus", "379.069", "1.185"),
        ("azure", "swedencentral", "5.67", "1.185"),
        ("gcp", "us-central1", "431.95", "1.1"),
        ("gcp", "europe-west4", "194.35", "1.1"),
    ],
)
def test_a_region_has_a_grid_with_its_source(provider: str, region: str, grams: str, pue: str) -> None:
    found = grid_of(provider, region)
    assert found is not None
    assert (found.g_per_kwh, found.pue) == (Decimal(grams), Decimal(pue))
    assert found.source
    assert found.pue_source


def test_a_region_that_no_source_has_is_not_known() -> None:
    assert grid_of("aws", "mars-north-1") is None


def test_grids_are_plausible_and_cover_the_regions_of_h100_machines() -> None:
    shapes = {name for name, machine in machines().items() if machine.model == "h100"}
    book, without = PriceBook(), []
    for provider in ("aws", "azure", "gcp"):
        regions = {row.region for row in book.rows(provider) if row.sku in shapes and not row.zone}
        for region in sorted(regions):
            found = grid_of(provider, region)
            if found is None:
                without.append(f"{provider} {region}")
            else:
                assert 1 < found.g_per_kwh < 1000, (provider, region)
    assert without == ["azure indonesiacentral", "azure malaysiawest", "azure polandcentral", "azure spaincentral"]
