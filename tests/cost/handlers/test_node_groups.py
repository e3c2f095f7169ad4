"""EKS node groups in capacity blocks and under savings plans. Their other bills: `bills/node_groups.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.handlers.reserved_capacity import block_days, block_size

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
ROOT = [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 500, "volumeType": "gp3"}}]


def _group(make: Make) -> Resource:
    return make(GROUP, "nodes", scalingConfig={"desiredSize": 5}, instanceTypes=["p5.48xlarge"])


def _lines(found: Estimate) -> list[tuple[str, str, str]]:
    return [(line.name, line.basis, f"{line.monthly:f}") for line in found.lines]


def _reserved(make: Make, name: str = "nodes", nodes: int = 5, **inputs: Any) -> list[Resource]:
    """A node group inside capacity cr-0123, and its launch template."""
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-0123"}}
    template = make(
        TEMPLATE,
        f"{name}-t",
        instanceType="p5.48xlarge",
        blockDeviceMappings=ROOT,
        capacityReservationSpecification=target,
    )
    sizes = {"desiredSize": nodes}
    group = make(
        GROUP, name, dependencies={"launchTemplate": template}, **{"scalingConfig": sizes, **inputs},
        launchTemplate={"id": UNKNOWN},
    )  # fmt: skip
    return [template, group]


def test_a_capacity_block_is_a_fee_upfront_for_the_next_size_sold_and_whole_weeks(make: Make, cost_of: CostOf) -> None:
    component = make("x:y:Cluster", "c", custom=False, durationDays=20, trainingGpus=40,
                     budget={"monthly": "1000", "onExceed": "fail"})  # fmt: skip
    found = cost_of(component, *_reserved(make, capacityType="CAPACITY_BLOCK"))
    line = found.lines[0]
    assert line.source.startswith("koyakimu/ec2-capacity-blocks-for-ml-pricing-json@b3a54ae")
    assert (line.basis, line.unit_price, line.idle) == ("8 x 730 h", Decimal("41.528"), 3 * 730)
    assert line.monthly == Decimal("242523.52")  # 8 x 730 h x 41.528
    assert found.monthly.expected == Decimal("242723.52")  # with five root disks
    assert found.per_training_gpu_hour == Decimal("8.31")  # 242723.52 / 730 h / 40
    assert found.upfront == Decimal("167440.90")  # 8 x 21 x 24 h x 41.528
    assert found.trial_total == Decimal("167572.41")  # and 20 days of the disks, 200 x 20 x 24 / 730
    verdict = budget_verdict(found)
    assert verdict is not None
    assert verdict.outcome == "over"


def test_node_groups_in_one_capacity_block_pay_its_fee_once(make: Make, cost_of: CostOf) -> None:
    first = _reserved(make, "first", 5, capacityType="CAPACITY_BLOCK")
    waiting = {"desiredSize": 0, "minSize": 0, "maxSize": 3}
    second = _reserved(make, "second", capacityType="CAPACITY_BLOCK", scalingConfig=waiting)
    found = cost_of(*first, *second)
    assert found.committed_monthly == Decimal("242523.52")
    assert [(line.name, line.paid_by, line.monthly) for line in found.lines if line.unit == "instance-hour"] == [
        ("8 x p5.48xlarge in reservation cr-0123", "", Decimal("242523.52")),
        ("0 x p5.48xlarge in reservation cr-0123", "cr-0123", Decimal("0.00")),
    ]


def test_a_capacity_block_without_a_price_is_over_a_budget_by_its_bound(make: Make, cost_of: CostOf) -> None:
    component = make("x:y:Cluster", "c", custom=False, budget={"monthly": "1000", "onExceed": "fail"})
    found = cost_of(component, *_reserved(make, capacityType="CAPACITY_BLOCK"), region="ca-central-1")
    assert [item.between.most.name for item in found.unpriced_compute if item.between] == [
        "8 x p5.48xlarge in reservation cr-0123"
    ]
    assert (len(found.unpriced_compute), found.complete) == (1, False)
    verdict = budget_verdict(found)
    assert verdict is not None
    assert verdict.outcome == "over"


@pytest.mark.parametrize(
    ("needed", "sold"), [(0, 0), (1, 1), (3, 4), (5, 8), (33, 64), (64, 64), (65, 65), (70, 72), (128, 128)]
)
def test_capacity_blocks_come_in_powers_of_two(needed: int, sold: int) -> None:
    assert block_size(Decimal(needed)) == sold


@pytest.mark.parametrize(("needed", "sold"), [("0.5", 1), ("13.5", 14), ("14", 14), ("15", 21), ("21", 21), ("22", 28)])
def test_capacity_blocks_last_whole_days_and_then_whole_weeks(needed: str, sold: int) -> None:
    assert block_days(Decimal(needed)) == sold


SHARES = Assumptions().with_values({"savings_plan_1y_share": "0.2", "savings_plan_3y_share": "0.6"})


def test_savings_plans_cover_their_share_of_gpu_machines(make: Make, book: PriceBook, tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(
        "provider,region,sku,unit,purchase,term,usd_per_unit\n"
        "aws,us-east-1,p5.48xlarge,GPU-hour,savings_plan,1y,4.82\n"
        "aws,us-east-1,p5.48xlarge,GPU-hour,savings_plan,3y,3.1\n"
    )
    nodes = Resources([_group(make)], default_regions={"aws": "us-east-1"})
    found = estimate(nodes, PriceBook(today=book.today, own=path), SHARES)
    assert found.not_priced == ()
    machines = [line for line in found.lines if line.unit == "instance-hour"]
    assert [(line.name, line.monthly) for line in machines] == [
        ("1 x p5.48xlarge savings plan 1y", 8 * Decimal("4.82") * 730),
        ("3 x p5.48xlarge savings plan 3y", 3 * 8 * Decimal("3.1") * 730),
        ("1 x p5.48xlarge on demand", Decimal("55.04") * 730),
    ]


def test_an_ec2_instance_savings_plan_is_bounded_by_on_demand_and_the_largest_discount_that_aws_states(
    make: Make, cost_of: CostOf
) -> None:
    found = cost_of(_group(make), assumptions=Assumptions().with_values({"instance_savings_plan_3y_share": "1"}))
    (item,) = found.unpriced_compute
    assert item.own_row == "aws,us-east-1,p5.48xlarge,instance-hour,instance_savings_plan,3y"
    assert item.between is not None
    hours = 5 * Decimal("55.04") * 730
    assert (item.between.least.monthly, item.between.most.monthly) == (hours * Decimal("0.28"), hours)


def test_a_share_without_a_price_is_named_with_the_row_to_add_and_the_rest_is_priced(
    make: Make, cost_of: CostOf
) -> None:
    found = cost_of(_group(make), assumptions=SHARES)
    assert [item.own_row for item in found.unpriced_compute] == [
        f"aws,us-east-1,p5.48xlarge,instance-hour,savings_plan,{term}" for term in ("1y", "3y")
    ]
    assert found.not_priced == found.unpriced_compute
    assert _lines(found) == [
        ("1 x p5.48xlarge on demand", "1 x 730 h", "40179.20"),
        ("root disks, gp3", "5 x 20 GiB", "8.00"),
    ]
    assert not found.complete
