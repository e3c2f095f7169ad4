"""training-pool-in-one-zone: one mutation of the compliant program per case."""

from __future__ import annotations

from gpucluster.policies.rules.training_pool_in_one_zone import RULE


def _second_subnet(program, **properties):
    program.add("aws:ec2/subnet:Subnet", "other", {"vpcId": program.unknown, **properties})
    program["train"]["subnetIds"] = [program.unknown, program.unknown]
    program.depends("train", "subnetIds", "gpu-subnet", "other")


def test_one_subnet_is_one_zone(program, found, unknown):
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_two_subnets_in_two_zones_are_refused(program, found):
    _second_subnet(program, availabilityZone="us-east-1b")
    assert found(RULE, program) == [
        ("train", "5 nodes of p5.48xlarge over 2 subnets in 2 zones: us-east-1a, us-east-1b")
    ]


def test_two_subnets_in_one_zone_are_one_zone(program, found, unknown):
    _second_subnet(program, availabilityZone="us-east-1a")
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_zone_ids_are_compared_when_there_are_no_names(program, found):
    del program["gpu-subnet"]["availabilityZone"]
    program["gpu-subnet"]["availabilityZoneId"] = "use1-az6"
    _second_subnet(program, availabilityZoneId="use1-az2")
    assert found(RULE, program) == [("train", "5 nodes of p5.48xlarge over 2 subnets in 2 zones: use1-az2, use1-az6")]


def test_a_zone_name_and_a_zone_id_are_not_compared(program, found, unknown):
    _second_subnet(program, availabilityZoneId="use1-az2")
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("train", "the zones of its 2 subnets are not all known")]


def test_subnets_that_are_wholly_unknown_are_counted_by_what_they_come_from(program, found):
    _second_subnet(program, availabilityZone="us-east-1b")
    program["train"]["subnetIds"] = program.unknown
    assert [name for name, _ in found(RULE, program)] == ["train"]


def test_subnets_of_another_stack_are_said(program, found, unknown):
    program["train"]["subnetIds"] = ["subnet-1", "subnet-2"]
    program.depends("train", "subnetIds")
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("train", "the zones of its 2 subnets are not all known")]


def test_subnets_without_any_trace_are_said(program, unknown):
    program["train"]["subnetIds"] = program.unknown
    program.depends("train", "subnetIds")
    assert unknown(RULE, program) == [("train", "its subnets are not known yet")]


def test_one_node_may_choose_its_zone(program, found):
    _second_subnet(program, availabilityZone="us-east-1b")
    program["train"]["scalingConfig"] = {"desiredSize": 1.0, "maxSize": 1.0, "minSize": 0.0}
    assert found(RULE, program) == []
