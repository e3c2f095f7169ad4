"""What leaves for the internet: the bands of a price list in one line, on every cloud."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.core.program.facts import Terms
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.pricing.transfer import GIB_PER_GB, Egress, egress_of
from tests.says import Says

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

HUNDRED_TB = f"{100_000 * GIB_PER_GB:.3f}"


@pytest.fixture
def edge(make: Make) -> dict[str, Resource]:
    """What each cloud bills egress with, in its home region."""
    return {
        "aws": make("aws:ec2/internetGateway:InternetGateway"),
        "gcp": make("gcp:compute/routerNat:RouterNat", region="us-central1"),
        "azure": make("azure-native:network:NatGateway", location="eastus", sku={"name": "Standard"}),
    }


@pytest.mark.parametrize(
    ("cloud", "region", "usd"),
    [("aws", "us-east-1", "7338.46"), ("gcp", "us-central1", "7768.02"), ("azure", "eastus", "7217.12")],
)
def test_100_tb_cost_in_a_report_what_they_cost_in_a_comparison(
    cloud: str, region: str, usd: str, edge: dict[str, Resource], cost_of: CostOf, book: PriceBook
) -> None:
    found = cost_of(edge[cloud], assumptions=Assumptions().with_values({"egress_gib": HUNDRED_TB}))
    (line,) = (line for line in found.lines if line.sku == "internet-egress")
    compared = egress_of(book, cloud, region, Decimal(HUNDRED_TB))
    assert isinstance(compared, Egress)
    assert line.monthly == compared.usd == Decimal(usd)


def test_what_no_band_tells_lies_between_nothing_and_the_dearest_of_the_others(make: Make, cost_of: CostOf) -> None:
    gateway = make("azure-native:network:NatGateway", location="eastus2", sku={"name": "Standard"})
    found = cost_of(gateway, assumptions=Assumptions().with_values({"egress_gib": "1100"}))
    (line,) = (line for line in found.lines if line.sku == "internet-egress")
    assert (line.quantity, line.monthly) == (1000, Decimal("87.00"))
    (lacks,) = (item for item in found.not_priced if "egress" in item.reason)
    assert lacks.reason == Says("eastus2", "100", "1,100", "GiB", "not")
    assert lacks.between is not None
    assert (lacks.between.least.monthly, lacks.between.most.monthly) == (0, Decimal("8.70"))


def test_a_discount_holds_for_every_band(edge: dict[str, Resource], book: PriceBook) -> None:
    used = Assumptions(egress_gib=Decimal(20000), terms={"aws": Terms(support="", discount=Decimal("0.1"))})
    (line,) = estimate(Resources([edge["aws"]], default_regions={"aws": "us-east-1"}), book, used).lines
    assert (line.listed, line.monthly) == (Decimal("1751.20"), Decimal("1576.08"))


def test_a_price_of_the_users_own_is_one_price(edge: dict[str, Resource], tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("provider,region,sku,unit,usd_per_unit\naws,us-east-1,internet-egress,GiB,0.02\n")
    used = Assumptions(egress_gib=Decimal(200_000))
    (line,) = estimate(Resources([edge["aws"]], default_regions={"aws": "us-east-1"}), PriceBook(own=own), used).lines
    assert (line.unit_price, line.monthly) == (Decimal("0.02"), 4000)
