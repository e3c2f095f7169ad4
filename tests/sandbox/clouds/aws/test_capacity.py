"""How the APIs answer node groups on reserved capacity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

BLOCK = {"instanceMarketOptions": {"marketType": "capacity-block"}}
TYPE = {"instanceType": "p5.48xlarge"}


def target(id_: str) -> dict[str, Any]:
    return {"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": id_}}}


@pytest.fixture
def subnets(create: Create) -> dict[str, str]:
    """Subnets of two zones, and a cluster named `c` in them."""
    vpc = create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id
    made = {
        letter: create(
            "ec2/subnet:Subnet",
            letter,
            vpcId=vpc,
            cidrBlock=f"10.0.{index}.0/24",
            availabilityZone=f"us-east-1{letter}",
        ).id
        for index, letter in enumerate("ab")
    }
    create("eks/cluster:Cluster", "c", name="c", roleArn="r", vpcConfig={"subnetIds": list(made.values())})
    return made


def pool(create: Create, zones: list[str], template: dict[str, Any], **inputs: Any) -> Entry:
    made = create("ec2/launchTemplate:LaunchTemplate", "t", **template)
    return create(
        "eks/nodeGroup:NodeGroup",
        "n",
        **{
            "clusterName": "c",
            "nodeRoleArn": "r",
            "subnetIds": zones,
            "scalingConfig": {"minSize": 0, "desiredSize": 1, "maxSize": 5},
            "launchTemplate": {"id": made.id, "version": "1"},
            **inputs,
        },
    )


def test_a_block_with_market_target_and_type_is_accepted(create: Create, subnets: dict[str, str]) -> None:
    pool(create, [subnets["a"]], {**TYPE, **BLOCK, **target("cr-1")}, capacityType="CAPACITY_BLOCK")


@pytest.mark.parametrize(
    ("template", "capacity", "message"),
    [
        ({**TYPE, **target("cr-1")}, "CAPACITY_BLOCK", "needs a launch template with market type capacity-block"),
        ({**TYPE, **BLOCK}, "CAPACITY_BLOCK", "needs a capacity reservation target"),
        ({**BLOCK, **target("cr-1")}, "CAPACITY_BLOCK", "needs an instance type in the launch template"),
        ({**TYPE, **BLOCK, **target("cr-1")}, "ON_DEMAND", "market type capacity-block needs capacity type"),
        ({**TYPE, "iamInstanceProfile": {"name": "p"}}, "ON_DEMAND", "should not specify an instance profile"),
        ({**TYPE, "networkInterfaces": [{"subnetId": "subnet-1"}]}, "ON_DEMAND", "should not specify subnets"),
    ],
)
def test_a_template_that_does_not_fit_is_refused(
    create: Create, subnets: dict[str, str], template: dict[str, Any], capacity: str, message: str
) -> None:
    with pytest.raises(CloudError, match=f"InvalidParameterException: .*{message}"):
        pool(create, [subnets["a"]], template, capacityType=capacity)


def test_a_block_lies_in_one_zone(create: Create, subnets: dict[str, str]) -> None:
    with pytest.raises(CloudError, match="need subnets of one zone, not us-east-1a, us-east-1b"):
        pool(create, list(subnets.values()), {**TYPE, **BLOCK, **target("cr-1")}, capacityType="CAPACITY_BLOCK")


@pytest.mark.parametrize(
    ("held", "zone", "group", "message"),
    [
        ("p5.48xlarge", "a", None, None),
        ("p4d.24xlarge", "a", None, "holds p4d.24xlarge, not p5.48xlarge"),
        ("p5.48xlarge", "b", None, "is in us-east-1a, the subnets are in us-east-1b"),
        ("p5.48xlarge", "a", "pg", "was not created in the placement group pg: InsufficientInstanceCapacity"),
    ],
)
def test_a_reservation_of_the_account_gives_its_own_machines_where_they_are(
    create: Create, subnets: dict[str, str], held: str, zone: str, group: str | None, message: str | None
) -> None:
    made = create(
        "ec2/capacityReservation:CapacityReservation",
        "r",
        instanceType=held,
        instanceCount=5,
        instancePlatform="Linux/UNIX",
        availabilityZone="us-east-1a",
    )
    template = {**TYPE, **target(made.id), **({"placement": {"groupName": group}} if group else {})}
    if message is None:
        pool(create, [subnets[zone]], template)
    else:
        with pytest.raises(CloudError, match=f"AsgInstanceLaunchFailures: {made.id} {message}"):
            pool(create, [subnets[zone]], template)
