"""What plans ask of the price book."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost.pricing.plan_prices import machine_usd


@pytest.mark.parametrize(
    ("cloud", "region", "machine", "purchase", "usd"),
    [
        ("aws", "us-east-1", "p5.48xlarge", "on-demand", "55.04"),
        ("aws", "us-east-1", "p5.48xlarge", "capacity-block", "41.528"),
        ("gcp", "us-central1", "a3-megagpu-8g", "capacity-block", "44.00"),
        ("gcp", "us-central1", "a3-megagpu-8g", "flex-start", "40.32"),
        ("azure", "eastus", "Standard_ND96isr_H100_v5", "capacity-block", "98.32"),
        ("aws", "us-east-1", "p5.48xlarge", "flex-start", None),
    ],
)
def test_a_machine_has_the_price_of_the_way_that_a_spec_buys_it(
    cloud: str, region: str, machine: str, purchase: str, usd: str | None
) -> None:
    assert machine_usd(cloud, region, machine, purchase) == (None if usd is None else Decimal(usd))
