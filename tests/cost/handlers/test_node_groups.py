"""EKS node groups, through their launch templates and reservations."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.handlers.reserved_capacity import block_days, block_size
from gpucluster.cost.verdict import budget_verdict
from gpucluster.program.resources import UNKNOWN, Resource, Resources

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
ROOT = [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 500, "volumeType": "gp3"}}]


def _group(make: Make, template: Resource | None = None, nodes: Any = 5, **inputs: Any) -> Resource:
    if template is not None:
        inputs["launchTemplate"] = {"id": UNKNOWN, "version": UNKNOWN}
    dependencies = {} if template is None else {"launchTemplate": template}
    return make(GROUP, "nodes", dependencies=dependencies, scalingConfig={"desiredSize": nodes}, **inputs)


def _lines(found: Estimate) -> list[tuple[str, str, str]]:
    return [(line.name, line.basis, f"{line.monthly:f}") for line in found.lines]


def test_machine_and_disks_come_from_the_launch_template(make: Make, cost_of: CostOf) -> None:
    template = make(TEMPLATE, "template", instanceType="p5.48xlarge", blockDeviceMappings=ROOT)
    found = cost_of(template, _group(make, template))
    assert found.not_priced == ()
    assert _lines(found) == [
        ("5 x p5.48xlarge on demand", "5 x 730 h", "200896.00"),
        ("root disks, gp3", "5 x 500 GiB", "200.00"),
    ]
    compute = found.lines[0]
    assert (compute.quantity, compute.unit, compute.unit_price) == (Decimal(3650), "instance-hour", Decimal("55.04"))
    assert (compute.region, compute.purchase, compute.as_of) == ("us-east-1", "on_demand", "2026-10-10")
    assert compute.source == "ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv"


def test_a_group_without_a_template_takes_its_own_machine_and_disk(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_group(make, nodes=2, instanceTypes=["m6i.xlarge", "m7i.xlarge"], diskSize=100))
    assert _lines(found) == [
        ("2 x m6i.xlarge on demand", "2 x 730 h", "280.32"),
        ("root disks, gp3", "2 x 100 GiB", "16.00"),
    ]
    assert found.assumptions == ("priced as m6i.xlarge, the first of 2 machine types",)


def test_a_disk_that_nobody_declares_is_the_default_and_is_said(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_group(make, nodes=1, instanceTypes=["m6i.large"]))
    assert _lines(found)[1] == ("root disks, gp3", "1 x 20 GiB", "1.60")
    assert found.assumptions == ("no disk is declared: 20 GiB gp3 per machine, the default of the machine image",)


def test_spot_has_its_own_price_and_confidence(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_group(make, nodes=1, instanceTypes=["p5.48xlarge"], capacityType="SPOT", diskSize=0))
    line = found.lines[0]
    assert (line.name, line.unit_price, line.confidence) == ("1 x p5.48xlarge spot", Decimal("19.2531"), "low")


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


def test_a_reservation_named_by_id_is_part_of_the_total(make: Make, cost_of: CostOf) -> None:
    found = cost_of(*_reserved(make))
    line = found.lines[0]
    assert (line.name, line.spend) == ("5 x p5.48xlarge in reservation cr-0123", "committed-elsewhere")
    assert line.assumption == (
        "cr-0123 is not part of this stack: billed by its reservation, hour by hour at the on-demand rate while it "
        "exists, used or not; its capacity beyond these machines is unknown"
    )
    assert (line.unit_price, line.monthly) == (Decimal("55.04"), Decimal("200896.00"))
    assert (found.committed_monthly, found.upfront) == (Decimal("200896.00"), 0)
    assert found.monthly.expected == Decimal("201096.00")  # with five root disks
    assert found.not_priced == ()


def test_a_capacity_block_is_a_fee_upfront_for_the_next_size_sold_and_whole_weeks(make: Make, cost_of: CostOf) -> None:
    component = make("x:y:Cluster", "c", custom=False, durationDays=20, trainingGpus=40,
                     budget={"monthly": "1000", "onExceed": "fail"})  # fmt: skip
    found = cost_of(component, *_reserved(make, capacityType="CAPACITY_BLOCK"))
    line = found.lines[0]
    assert line.assumption == (
        "cr-0123 is a capacity block, not part of this stack: paid upfront, by its fee; sold by 1, 2, 4, 8, 16, 32, 64 "
        "instances, so 5 nodes need a block of 8; this trial uses 21 days of it"
    )
    assert line.source.startswith("koyakimu/ec2-capacity-blocks-for-ml-pricing-json@b3a54ae")
    assert (line.basis, line.unit_price, line.idle) == ("8 x 730 h", Decimal("41.528"), 3 * 730)
    assert line.monthly == Decimal("242523.52")  # 8 x 730 h x 41.528
    assert found.monthly.expected == Decimal("242723.52")  # with five root disks
    assert found.per_training_gpu_hour == Decimal("8.31")  # 242723.52 / 730 h / 40
    assert found.upfront == Decimal("167440.90")  # 8 x 21 x 24 h x 41.528
    assert found.trial_total == Decimal("167572.41")  # and 20 days of the disks, 200 x 20 x 24 / 730
    verdict = budget_verdict(found)
    assert verdict is not None
    assert verdict.sentence == (
        "over budget by $241,723.52: expected $242,723.52 a month, of it $242,523.52 committed elsewhere, ceiling "
        "$242,723.52; budget $1,000.00"
    )


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


def test_a_reservation_in_which_nothing_runs_yet_is_not_free(make: Make, cost_of: CostOf) -> None:
    found = cost_of(*_reserved(make, nodes=0))
    assert [item.reason for item in found.unpriced_compute] == [
        "the cost of cr-0123 where it is bought: nothing runs in it yet, and its number of machines is unknown"
    ]


@pytest.mark.parametrize(
    ("needed", "sold"), [(0, 0), (1, 1), (3, 4), (5, 8), (33, 64), (64, 64), (65, 65), (70, 72), (128, 128)]
)
def test_capacity_blocks_come_in_powers_of_two(needed: int, sold: int) -> None:
    assert block_size(Decimal(needed)) == sold


@pytest.mark.parametrize(("needed", "sold"), [("0.5", 1), ("13.5", 14), ("14", 14), ("15", 21), ("21", 21), ("22", 28)])
def test_capacity_blocks_last_whole_days_and_then_whole_weeks(needed: str, sold: int) -> None:
    assert block_days(Decimal(needed)) == sold


def test_a_group_that_can_grow_has_a_floor_and_a_ceiling(make: Make, cost_of: CostOf) -> None:
    sizes = {"minSize": 1, "desiredSize": 2, "maxSize": 6}
    found = cost_of(make(GROUP, scalingConfig=sizes, instanceTypes=["m6i.xlarge"], diskSize=100))
    monthly = found.monthly
    assert [f"{amount:f}" for amount in (monthly.floor, monthly.expected, monthly.ceiling)] == [
        "148.16",
        "296.32",
        "888.96",
    ]


def test_a_maximum_that_is_not_known_yet_is_named_and_the_rest_is_priced(make: Make, cost_of: CostOf) -> None:
    sizes = {"minSize": 1, "desiredSize": 1, "maxSize": UNKNOWN}
    found = cost_of(make(GROUP, scalingConfig=sizes, instanceTypes=["m6i.xlarge"], diskSize=100))
    assert [item.reason for item in found.not_priced] == [
        "scalingConfig.maxSize is not known before the update: assumed equal to desiredSize"
    ]
    assert found.monthly.expected == Decimal("148.16")
    assert found.unpriced_compute == ()


@pytest.mark.parametrize("known_id", ["cr-0123", UNKNOWN])
def test_a_reservation_of_the_same_stack_is_billed_once(make: Make, cost_of: CostOf, known_id: Any) -> None:
    reservation = make(
        "aws:ec2/capacityReservation:CapacityReservation",
        "reserved",
        instanceType="p5.48xlarge",
        instanceCount=5,
        instancePlatform="Linux/UNIX",
    )
    template = make(
        TEMPLATE,
        "t",
        dependencies={"capacityReservationSpecification": reservation},
        instanceType="p5.48xlarge",
        blockDeviceMappings=ROOT,
        capacityReservationSpecification={"capacityReservationTarget": {"capacityReservationId": known_id}},
    )
    found = cost_of(reservation, template, _group(make, template))
    assert _lines(found) == [
        ("5 x p5.48xlarge reserved, on demand", "5 x 730 h", "200896.00"),
        ("5 x p5.48xlarge in reservation reserved", "5 x 730 h", "0.00"),
        ("root disks, gp3", "5 x 500 GiB", "200.00"),
    ]
    assert found.committed_monthly == 0


UNPRICED: list[tuple[dict[str, Any], dict[str, Any] | None, list[str]]] = [
    (
        {"scalingConfig": {"desiredSize": UNKNOWN}, "instanceTypes": ["m6i.large"]},
        None,
        ["scalingConfig.desiredSize is not known before the update"],
    ),
    (
        {"scalingConfig": "five", "instanceTypes": ["m6i.large"]},
        None,
        ["scalingConfig.desiredSize cannot be read: found 'five' on the way"],
    ),
    (
        {"scalingConfig": {"desiredSize": 1}, "launchTemplate": {"id": "lt-1"}},
        None,
        ["its machine type is set by a launch template that is not part of this stack"],
    ),
    (
        {"scalingConfig": {"desiredSize": 1}, "launchTemplate": {"id": "lt-1"}, "instanceTypes": ["m6i.large"]},
        None,
        ["disks: its launch template is not part of this stack"],
    ),
    (
        {"scalingConfig": {"desiredSize": 1}, "capacityType": "SPOT"},
        {"name": "a template that leaves the machine to EKS"},
        [
            "no price for t3.medium spot in aws us-east-1 per instance-hour; known: us-east-1 on_demand, "
            "us-east-2 on_demand, us-gov-east-1 on_demand, us-gov-west-1 on_demand and 30 more"
        ],
    ),
    (
        {"scalingConfig": {"desiredSize": 1}},
        {"instanceType": UNKNOWN},
        ["instanceType is not known before the update"],
    ),
    (
        {"scalingConfig": {"desiredSize": 1}, "capacityType": "CAPACITY_BLOCK"},
        {"instanceType": "m6i.large"},
        ["capacityType is CAPACITY_BLOCK, but its launch template targets no reservation"],
    ),
    (
        {"scalingConfig": {"desiredSize": 1}},
        {
            "instanceType": "m6i.large",
            "capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": UNKNOWN}},
        },
        ["the capacity reservation it targets is not known before the update"],
    ),
    (
        {"scalingConfig": {"desiredSize": 1}, "amiType": "WINDOWS_CORE_2022_x86_64", "instanceTypes": ["m6i.large"]},
        None,
        ["amiType is Windows: the price book has Linux prices only"],
    ),
]


@pytest.mark.parametrize(("inputs", "template_inputs", "reasons"), UNPRICED)
def test_what_cannot_be_known_is_named(
    make: Make,
    cost_of: CostOf,
    inputs: dict[str, Any],
    template_inputs: dict[str, Any] | None,
    reasons: list[str],
) -> None:
    stack: list[Resource] = []
    dependencies: dict[str, Resource] = {}
    if template_inputs is not None:
        dependencies["launchTemplate"] = make(TEMPLATE, "t", **template_inputs)
        inputs = {**inputs, "launchTemplate": {"id": UNKNOWN}}
        stack.append(dependencies["launchTemplate"])
    found = cost_of(*stack, make(GROUP, "nodes", dependencies=dependencies, **inputs))
    assert [item.reason for item in found.not_priced] == reasons


SHARES = Assumptions().with_values({"savings_plan_1y_share": "0.2", "savings_plan_3y_share": "0.6"})


def test_savings_plans_cover_their_share_of_gpu_machines(make: Make, book: PriceBook, tmp_path: Path) -> None:
    path = tmp_path / "ours.csv"
    path.write_text(
        "provider,region,sku,unit,purchase,term,usd_per_unit\n"
        "aws,us-east-1,p5.48xlarge,GPU-hour,savings_plan,1y,4.82\n"
        "aws,us-east-1,p5.48xlarge,GPU-hour,savings_plan,3y,3.1\n"
    )
    nodes = Resources([_group(make, instanceTypes=["p5.48xlarge"])], default_regions={"aws": "us-east-1"})
    found = estimate(nodes, PriceBook(today=book.today, own=path), SHARES)
    assert found.not_priced == ()
    machines = [line for line in found.lines if line.unit == "instance-hour"]
    assert [(line.name, line.monthly) for line in machines] == [
        ("1 x p5.48xlarge savings plan 1y", 8 * Decimal("4.82") * 730),
        ("3 x p5.48xlarge savings plan 3y", 3 * 8 * Decimal("3.1") * 730),
        ("1 x p5.48xlarge on demand", Decimal("55.04") * 730),
    ]


def test_a_share_without_a_price_is_named_with_the_row_to_add_and_the_rest_is_priced(
    make: Make, cost_of: CostOf
) -> None:
    found = cost_of(_group(make, instanceTypes=["p5.48xlarge"]), assumptions=SHARES)
    assert [item.own_row for item in found.unpriced_compute] == [
        f"aws,us-east-1,p5.48xlarge,instance-hour,savings_plan,{term}" for term in ("1y", "3y")
    ]
    assert found.not_priced == found.unpriced_compute
    assert _lines(found) == [
        ("1 x p5.48xlarge on demand", "1 x 730 h", "40179.20"),
        ("root disks, gp3", "5 x 20 GiB", "8.00"),
    ]
    assert not found.complete
