"""Owning in every form."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook
from gpucluster.cost.documents.tco import tco_document
from gpucluster.cost.purchasing import options_of
from gpucluster.cost.tco import Against, Inputs, Own, against, own_cluster
from gpucluster.cost.tco.rental import rental_by_options
from tests.cost.documents.conftest import Golden

EVERYTHING = (
    "nodes=32", "network_usd_per_node=40000", "network_usd_per_gpu_hour=0", "storage_usd=3000000",
    "installation_usd=400000", "life_years=5", "residual_share=0.1", "cost_of_capital_per_year=0.08",
    "maintenance_share_per_year=0.05", "idle_power_share=0.3", "rack_usd_per_kw_month=150", "downtime_share=0.03",
    "other_usd_per_gpu_year=0", "kg_co2_per_kwh=0.2",
)  # fmt: skip


@pytest.fixture
def case(
    stack: Callable[..., list[Resource]], book: PriceBook
) -> Callable[[str], tuple[Own, list[Own], list[Against]]]:
    def made(name: str) -> tuple[Own, list[Own], list[Against]]:
        own = own_cluster(Inputs.of(settings=EVERYTHING if name == "everything" else ()))
        found = [against(own, "$5.25 a GPU-hour", Decimal("5.25"), idle_too=False)]
        if name == "everything":
            plan = options_of(Resources(stack("aws"), default_regions={"aws": "us-east-1"}), book)
            found += rental_by_options(own, plan)
        return own, [own_cluster(own.inputs.but(life_years=Decimal(4)))], found

    return made


@pytest.mark.parametrize("name", ["defaults.md", "everything.txt", "everything.json", "everything.csv"])
def test_owning_is_its_golden_file(
    name: str, case: Callable[[str], tuple[Own, list[Own], list[Against]]], golden: Golden
) -> None:
    golden(f"tco/{name}", tco_document(*case(name.partition(".")[0])))


def test_capacity_that_is_paid_idle_too_has_no_break_even(
    case: Callable[[str], tuple[Own, list[Own], list[Against]]],
) -> None:
    by_name = {item.name: (item.idle_too, item.break_even is None) for item in case("everything")[2]}
    assert by_name == {
        "$5.25 a GPU-hour": (False, False),
        "p5.48xlarge on demand": (False, False),
        "p5.48xlarge spot": (False, True),
        "p5.48xlarge capacity block": (True, True),
    }
