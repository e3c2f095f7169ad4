"""Machines in an open reservation of the stack are billed by it, once; those that may run in it say so."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost import Estimate
from gpucluster.cost.pricing.model import CostLine
from tests.cases import cases
from tests.says import Says

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

P5 = {"instanceType": "p5.48xlarge"}
ZONE = {"availabilityZone": "us-east-1a"}
MONTH = Decimal("40179.20")  # 55.04 x 730


def _reservation(make: Make, count: int = 2, **changes: Any) -> Resource:
    return make("aws:ec2/capacityReservation:CapacityReservation", "held", **{
        **P5, **ZONE, "instancePlatform": "Linux/UNIX", "instanceCount": count, **changes})  # fmt: skip


def _instance(make: Make, name: str = "one", **changes: Any) -> Resource:
    return make("aws:ec2/instance:Instance", name, **{**P5, **ZONE, **changes})


def _machines(found: Estimate) -> list[CostLine]:
    return [line for line in found.lines if line.unit == "instance-hour"]


def _paid(found: Estimate) -> Decimal:
    return sum((line.monthly for line in _machines(found)), Decimal(0))


def test_an_instance_of_the_same_type_and_zone_is_billed_by_the_reservation(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_reservation(make), _instance(make))
    [inside] = [line for line in _machines(found) if line.paid_by]
    assert (inside.paid_by, inside.quantity, inside.monthly) == ("held", 730, 0)
    assert inside.assumption == Says("held", "open reservation")
    assert (_paid(found), found.complete) == (2 * MONTH, True)


@cases
def test_other_machines_are_billed_for_themselves(
    make: Make, cost_of: CostOf, reservation: dict[str, Any], instance: dict[str, Any]
) -> None:
    found = cost_of(_reservation(make, **reservation), _instance(make, **instance))
    alone = cost_of(_instance(make, **instance))
    assert _paid(found) == 2 * MONTH + _paid(alone)
    assert not [line for line in _machines(found) if line.paid_by == "held"]


@pytest.mark.parametrize(
    ("reservation", "instance"),
    [
        ({}, {"availabilityZone": None}),
        ({}, {"availabilityZone": UNKNOWN}),
        ({"availabilityZone": None, "availabilityZoneId": "use1-az1"}, {}),
        ({"placementGroupArn": "arn:aws:ec2:us-east-1:111122223333:placement-group/g"}, {}),
    ],
)
def test_a_machine_that_may_run_in_it_is_billed_and_the_report_says_so(
    make: Make, cost_of: CostOf, reservation: dict[str, Any], instance: dict[str, Any]
) -> None:
    found = cost_of(_reservation(make, **reservation), _instance(make, **instance))
    assert _paid(found) == 3 * MONTH
    assert any(text == Says("held", "open reservation", "once") for text in found.assumptions)


def test_more_machines_than_it_holds_pay_for_the_rest(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_reservation(make), *(_instance(make, name) for name in ("a", "b", "c")))
    assert (_paid(found), sum(bool(line.paid_by) for line in _machines(found))) == (3 * MONTH, 2)


def test_machines_that_name_it_take_its_places_first(make: Make, cost_of: CostOf) -> None:
    held = _reservation(make, count=1)
    aims = make("aws:ec2/instance:Instance", "aims", **P5, **ZONE,
                capacityReservationSpecification={"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
                dependencies={"capacityReservationSpecification": held})  # fmt: skip
    assert _paid(cost_of(held, aims, _instance(make, "a"))) == 2 * MONTH


def test_a_dedicated_machine_takes_no_place_of_another(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_reservation(make, count=1), _instance(make, "a", tenancy="dedicated"), _instance(make, "b"))
    assert [line.urn.rsplit("::", 1)[-1] for line in _machines(found) if line.paid_by == "held"] == ["b"]


@pytest.mark.parametrize(("settings", "machines"), [({}, 2), ({"placementTenancy": "dedicated"}, 3)])
def test_a_group_with_a_launch_configuration_runs_in_it(
    make: Make, cost_of: CostOf, settings: dict[str, str], machines: int
) -> None:
    launch = make("aws:ec2/launchConfiguration:LaunchConfiguration", "launch", **P5, **settings)
    group = make("aws:autoscaling/group:Group", "group", availabilityZones=["us-east-1a"], minSize=1, maxSize=1,
                 launchConfiguration="launch", dependencies={"launchConfiguration": launch})  # fmt: skip
    assert _paid(cost_of(_reservation(make), launch, group)) == machines * MONTH


def test_a_node_group_in_one_zone_runs_in_it_up_to_its_size(make: Make, cost_of: CostOf) -> None:
    subnet = make("aws:ec2/subnet:Subnet", "subnet", **ZONE)
    group = make("aws:eks/nodeGroup:NodeGroup", "nodes", instanceTypes=["p5.48xlarge"], subnetIds=["subnet-1"],
                 scalingConfig={"minSize": 0, "desiredSize": 1, "maxSize": 5}, dependencies={"subnetIds": subnet},
                 diskSize=1)  # fmt: skip
    found = cost_of(_reservation(make), subnet, group)
    machines = _machines(found)
    assert sum(line.monthly_floor for line in machines) == 2 * MONTH
    assert _paid(found) == 2 * MONTH
    assert [line.monthly_ceiling for line in machines if line.urn == group.urn] == [0, 3 * MONTH]


def test_an_auto_scaling_group_of_several_zones_may_run_in_it(make: Make, cost_of: CostOf) -> None:
    template = make("aws:ec2/launchTemplate:LaunchTemplate", "lt", **P5)
    sizes = {"minSize": 2, "maxSize": 2}

    def group(*zones: str) -> Resource:
        return make("aws:autoscaling/group:Group", "group", availabilityZones=list(zones), **sizes,
                    launchTemplate={"id": "lt"}, dependencies={"launchTemplate": template})  # fmt: skip

    assert _paid(cost_of(_reservation(make), template, group("us-east-1a"))) == 2 * MONTH
    found = cost_of(_reservation(make), template, group("us-east-1a", "us-east-1b"))
    assert _paid(found) == 4 * MONTH
    assert any(text == Says("held", "open reservation") for text in found.assumptions)


def test_a_mixed_group_may_run_in_it(make: Make, cost_of: CostOf) -> None:
    template = make("aws:ec2/launchTemplate:LaunchTemplate", "lt", **P5)
    group = make("aws:autoscaling/group:Group", "group", availabilityZones=["us-east-1a"], minSize=2, maxSize=2,
                 mixedInstancesPolicy={"launchTemplate": {"overrides": [P5]}},
                 dependencies={"mixedInstancesPolicy": template})  # fmt: skip
    found = cost_of(_reservation(make), template, group)
    assert _paid(found) == 4 * MONTH
    assert any(text == Says("held", "open reservation") for text in found.assumptions)
