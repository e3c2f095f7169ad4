"""Ways to buy a machine."""

from __future__ import annotations

from gpucluster.core.catalog.purchase_limits import flexible_only, hard_to_get, not_sold, sold
from tests.cases import cases
from tests.says import Says

SMALL = "created as Spot or Flex-start VMs only (Compute Engine documentation, GPU machine types)"


@cases
def test_a_row_holds_for_the_machines_it_names(machine, purchase, how):
    assert sold(machine, purchase) == how


def test_what_is_not_sold_and_what_is_hard_to_get_says_why_with_its_source():
    assert not_sold("a3-highgpu-2g", "on_demand") == f"a3-highgpu-2g is not sold on demand: {SMALL}"
    assert not_sold("a3-highgpu-8g", "on_demand") is None
    assert hard_to_get("a3-ultragpu-8g", "on_demand") == Says(
        "flex-start", "Spot", "not", "Cluster", "Director", "Choose"
    )
    assert hard_to_get("a3-edgegpu-8g", "on_demand") == hard_to_get("p5.48xlarge", "on_demand") == ""


def test_machines_that_no_reservation_holds_either_are_flexible_only():
    names = ("a3-highgpu-1g", "a3-highgpu-4g", "a3-highgpu-8g", "a4-highgpu-8g", "p5.48xlarge")
    assert [name for name in names if flexible_only(name)] == ["a3-highgpu-1g", "a3-highgpu-4g"]
