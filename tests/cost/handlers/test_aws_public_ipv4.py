"""Public IPv4 addresses that EC2 gives by itself: which machines get one, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import UNKNOWN, Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

INSTANCE = "aws:ec2/instance:Instance"
SUBNET = "aws:ec2/subnet:Subnet"
NAME = "Public IPv4 address"


def _addresses(found: Estimate) -> list[tuple[str, str, str]]:
    return [
        (f"{line.monthly}", f"{line.monthly_ceiling}", line.basis) for line in found.lines if line.name.startswith(NAME)
    ]


@pytest.mark.parametrize(
    ("subnet", "own", "monthly"),
    [
        ({"mapPublicIpOnLaunch": True}, None, "3.65"),
        ({"mapPublicIpOnLaunch": "true"}, None, "3.65"),
        ({"mapPublicIpOnLaunch": True}, False, ""),
        ({"mapPublicIpOnLaunch": False}, None, ""),
        ({}, None, ""),
        ({}, True, "3.65"),
    ],
)
def test_a_machine_has_one_as_it_or_else_its_subnet_says(
    subnet: dict[str, Any], own: bool | None, monthly: str, make: Make, cost_of: CostOf
) -> None:
    place = make(SUBNET, "s", **subnet)
    more = {} if own is None else {"associatePublicIpAddress": own}
    machine = make(INSTANCE, "m", instanceType="m6i.large", subnetId=UNKNOWN, dependencies={"subnetId": place}, **more)
    assert _addresses(cost_of(place, machine)) == ([(monthly, monthly, "1 x 730 h")] if monthly else [])


def test_a_machine_without_a_subnet_lies_in_the_default_vpc_which_gives_one(make: Make, cost_of: CostOf) -> None:
    """A web server with nothing but an image and a size: machine, disk of its image, address."""
    found = cost_of(make(INSTANCE, "web", instanceType="t3.micro"))
    assert [(line.name, f"{line.monthly}", line.assumption) for line in found.lines] == [
        ("1 x t3.micro on demand", "7.59", "Linux"),
        ("root disks, gp3", "0.64", "no disk is declared: 8 GiB gp3 per machine, the default of the machine image"),
        (NAME, "3.65", "subnetId is not set: subnets of the default VPC, where machines get a public IPv4 address"),
    ]


@pytest.mark.parametrize(("type_", "prop"), [("aws:ec2/eip:Eip", "instance"),
                                             ("aws:ec2/eipAssociation:EipAssociation", "instanceId")])  # fmt: skip
def test_an_elastic_ip_takes_its_place(type_: str, prop: str, make: Make, cost_of: CostOf) -> None:
    machine = make(INSTANCE, "m", instanceType="m6i.large")
    own = make(type_, "own", dependencies={prop: machine})
    assert [line.urn for line in cost_of(machine, own).lines if line.name == NAME] in ([own.urn], [])


def test_nodes_have_one_in_each_subnet_that_gives_it(make: Make, cost_of: CostOf) -> None:
    open_, shut = make(SUBNET, "open", mapPublicIpOnLaunch=True), make(SUBNET, "shut")
    inputs: dict[str, Any] = {"instanceTypes": ["m6i.large"], "scalingConfig": {"desiredSize": 2, "maxSize": 4}}

    def group(*subnets: Resource, **more: Any) -> Resource:
        made = make("aws:eks/nodeGroup:NodeGroup", "g", subnetIds=[UNKNOWN for _ in subnets], dependencies=more,
                    **inputs)  # fmt: skip
        return replace(made, dependencies={**made.dependencies, "subnetIds": tuple(one.urn for one in subnets)})

    assert _addresses(cost_of(open_, group(open_))) == [("7.30", "14.60", "2 x 730 h")]
    assert _addresses(cost_of(open_, shut, group(open_, shut))) == [("3.65", "7.30", "1 x 730 h")]
    assert _addresses(cost_of(shut, group(shut))) == []
    template = make(
        "aws:ec2/launchTemplate:LaunchTemplate", "t", networkInterfaces=[{"associatePublicIpAddress": True}]
    )
    assert _addresses(cost_of(shut, template, group(shut, launchTemplate=template))) == [("7.30", "14.60", "2 x 730 h")]


def test_nodes_in_subnets_of_another_stack_depend_on_usage(make: Make, cost_of: CostOf) -> None:
    group = make("aws:eks/nodeGroup:NodeGroup", "g", instanceTypes=["m6i.large"], subnetIds=["subnet-1"],
                 scalingConfig={"desiredSize": 2})  # fmt: skip
    (line,) = [line for line in cost_of(group).lines if line.name.startswith(NAME)]
    assert (line.by_usage, line.usage) == (True, ("public_ipv4_addresses",))
    usage = Assumptions().with_values({"public_ipv4_addresses": "1"})
    assert _addresses(cost_of(group, assumptions=usage)) == [("7.30", "7.30", "2 x 730 h")]


@pytest.mark.parametrize(
    ("inputs", "monthly"),
    [
        ({"subnets": ["a", "b", "c"]}, "10.95"),
        ({"subnets": UNKNOWN}, "7.30"),
        ({"subnets": ["a", "b"], "internal": True}, ""),
        ({"subnets": ["a", "b"], "ipAddressType": "dualstack-without-public-ipv4"}, ""),
        ({"loadBalancerType": "network", "subnets": ["a", "b"]}, "7.30"),
        ({"loadBalancerType": "network", "subnetMappings": [{"subnetId": "a", "allocationId": "e"}]}, ""),
        ({"subnetMappings": [{"subnetId": "a"}, {"subnetId": "b"}]}, "7.30"),
    ],
)
def test_a_load_balancer_to_the_internet_has_one_in_each_subnet(
    inputs: dict[str, Any], monthly: str, make: Make, cost_of: CostOf
) -> None:
    found = cost_of(make("aws:lb/loadBalancer:LoadBalancer", "b", **inputs))
    assert [of for of, _, _ in _addresses(found)] == ([monthly] if monthly else [])
    assert found.complete
