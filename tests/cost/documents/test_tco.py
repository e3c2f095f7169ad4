"""Owning as golden files that are reviewed as money.

After a change that is meant: `UPDATE_GOLDEN=1 python -m pytest tests/cost/render`, then read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.documents.tco import tco_document
from gpucluster.cost.purchasing import options_of
from gpucluster.cost.render.layout import WIDEST
from gpucluster.cost.render.write import written
from gpucluster.cost.tco import Against, Inputs, Own, against, own_cluster
from gpucluster.cost.tco.cloud import against_ways
from gpucluster.program.resources import Resource, Resources

GOLDEN = Path(__file__).parent / "golden" / "tco"
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
            found += against_ways(own, plan)
        return own, [own_cluster(own.inputs.but(life_years=Decimal(4)))], found

    return made


FORMS = {"txt": "table", "json": "json", "csv": "csv", "md": "markdown"}


@pytest.mark.parametrize("name", ["defaults", "everything"])
@pytest.mark.parametrize("form", FORMS)
def test_owning_is_shown_as_its_golden_file(
    name: str, form: str, case: Callable[[str], tuple[Own, list[Own], list[Against]]]
) -> None:
    text = written(tco_document(*case(name)), FORMS[form])
    path = GOLDEN / f"{name}.{form}"
    if "UPDATE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")
    assert text + "\n" == path.read_text()
    if form == "txt":
        assert [line for line in text.splitlines() if len(line) > WIDEST or line != line.rstrip()] == []


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
