"""Training pools that are made of several node groups, instances or Auto Scaling groups."""

from __future__ import annotations

import copy

import pytest

from gpucluster.policies.rules import training_pool_in_one_domain, training_pool_in_one_zone
from tests.says import Says

ZONE, DOMAIN = training_pool_in_one_zone.RULE, training_pool_in_one_domain.RULE
SUBNET = "aws:ec2/subnet:Subnet"
GROUP = "aws:ec2/placementGroup:PlacementGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
NODES = "aws:eks/nodeGroup:NodeGroup"
INSTANCE = "aws:ec2/instance:Instance"
SCALING = "aws:autoscaling/group:Group"


def _second_zone(program):
    program.add(SUBNET, "b", {"vpcId": program.unknown, "availabilityZone": "us-east-1b"})


def _node_group(program, name, subnet="gpu-subnet", template="template", nodes=1.0, labels=None):
    properties = copy.deepcopy(program["train"]) if "train" in program.declared else copy.deepcopy(program.kept)
    program.kept = copy.deepcopy(properties)
    properties["scalingConfig"] = {"desiredSize": nodes, "maxSize": nodes, "minSize": nodes}
    properties["labels"] = {**properties["labels"], **(labels or {})}
    program.add(NODES, name, properties, launchTemplate=[template], subnetIds=[subnet])


def _second_group(program):
    program.add(GROUP, "group-b", {"strategy": "cluster"})
    program.add(TEMPLATE, "template-b", copy.deepcopy(program["template"]), placement=["group-b"])


def _four(program, labels=lambda _: {}):
    _second_zone(program)
    for number in range(4):
        _node_group(program, f"n{number}", subnet="b" if number % 2 else "gpu-subnet", labels=labels(number))
    program.remove("train")


def test_four_groups_of_one_node_in_two_zones_are_refused(program, found):
    _four(program)
    assert found(ZONE, program) == [
        ("n0", Says("4", "p5.48xlarge", "n0", "n1", "n2", "n3", "over", "2", "2", "us-east-1a", "us-east-1b"))
    ]


def test_groups_of_one_zone_and_one_placement_group_pass(program, found, unknown):
    _node_group(program, "more", nodes=2.0)
    for rule in (ZONE, DOMAIN):
        assert (found(rule, program), unknown(rule, program)) == ([], [])


def test_two_placement_groups_are_refused(program, found):
    _second_group(program)
    _node_group(program, "a", nodes=2.0)
    _node_group(program, "b", template="template-b", nodes=2.0)
    program.remove("train")
    assert found(DOMAIN, program) == [("a", Says("4", "p5.48xlarge", "2", "group", "group-b"))]


def test_two_reservations_may_or_may_not_stand_together(program, found, unknown):
    for name in ("template", "template-b"):
        program.declared.setdefault(name, copy.deepcopy(program.declared["template"]))
        program.declared[name].name = name
        program[name]["placement"] = None
        program[name]["capacityReservationSpecification"] = {
            "capacityReservationTarget": {"capacityReservationId": f"cr-{name}"}
        }
        program.depends(name, "placement")
    _node_group(program, "more", template="template-b", nodes=2.0)
    assert found(DOMAIN, program) == []
    assert unknown(DOMAIN, program) == [
        ("more", Says("7", "p5.48xlarge", "more", "train", "co-located", "unknown", "cr-template", "cr-template-b"))
    ]


def test_a_label_tells_pools_apart(program, found):
    _four(program, lambda number: {"gpucluster/pool": f"pool-{number % 2}"})
    assert found(ZONE, program) == []


def test_a_label_that_kueue_selects_by_tells_pools_apart(program, found):
    _four(program, lambda number: {"example.com/flavor": f"f{number % 2}"})
    assert len(found(ZONE, program)) == 1
    flavor = {"metadata": {"name": "f0"}, "spec": {"nodeLabels": {"example.com/flavor": "f0"}}}
    program.add("kubernetes:kueue.x-k8s.io/v1beta1:ResourceFlavor", "flavor", flavor)
    assert found(ZONE, program) == []


def test_another_cluster_without_a_component_is_another_pool(program, found):
    _four(program)
    for number in range(4):
        program.outside.add(f"n{number}")
        program[f"n{number}"]["clusterName"] = f"cluster-{number % 2}"
    assert found(ZONE, program) == []
    for number in range(4):
        program[f"n{number}"]["clusterName"] = "one"
    assert len(found(ZONE, program)) == 1


def _instances(program, **properties):
    _second_zone(program)
    program.remove("train")
    for number in range(4):
        subnet = "b" if number % 2 else "gpu-subnet"
        values = {"instanceType": "p5.48xlarge", "subnetId": program.unknown, **properties}
        program.add(INSTANCE, f"i{number}", values, subnetId=[subnet])


def test_instances_are_a_pool(program, found):
    _instances(program)
    pool = "4 nodes of p5.48xlarge (`i0`, `i1`, `i2`, `i3`)"
    assert found(ZONE, program) == [("i0", Says(pool, "over", "2", "2", "us-east-1a", "us-east-1b"))]
    assert found(DOMAIN, program) == [("i0", f"{pool}, no placement group and no reservation")]


def test_instances_without_a_subnet_are_asked_for_their_zones(program, found, unknown):
    _instances(program)
    for number in range(4):
        del program[f"i{number}"]["subnetId"]
        program.depends(f"i{number}", "subnetId")
    assert found(ZONE, program) == []
    assert [name for name, _ in unknown(ZONE, program)] == ["i0"]
    for number in range(4):
        program[f"i{number}"]["availabilityZone"] = f"us-east-1{'ab'[number % 2]}"
    assert [name for name, _ in found(ZONE, program)] == ["i0"]


def test_instances_in_one_group_and_zone_pass(program, found, unknown):
    _instances(program, placementGroup=program.unknown)
    for number in range(4):
        program.depends(f"i{number}", "placementGroup", "group")
        program.depends(f"i{number}", "subnetId", "gpu-subnet")
    for rule in (ZONE, DOMAIN):
        assert (found(rule, program), unknown(rule, program)) == ([], [])


@pytest.mark.parametrize("policy", ["launchTemplate", "mixedInstancesPolicy"])
def test_an_auto_scaling_group_is_a_pool(program, found, policy):
    _second_zone(program)
    program.remove("train")
    values = {
        "maxSize": 4.0,
        "minSize": 4.0,
        "vpcZoneIdentifiers": [program.unknown] * 2,
        policy: {"id": program.unknown},
    }
    program.add(SCALING, "asg", values, **{policy: ["template"]}, vpcZoneIdentifiers=["gpu-subnet", "b"])
    assert found(ZONE, program) == [("asg", Says("4", "p5.48xlarge", "over", "2", "2", "us-east-1a", "us-east-1b"))]
    assert found(DOMAIN, program) == []
    program["template"]["placement"] = None
    program.depends("template", "placement")
    assert found(DOMAIN, program) == [("asg", Says("4", "p5.48xlarge", "no", "no"))]


def test_instances_with_one_gpu_are_no_pool(program, found):
    _instances(program)
    for number in range(4):
        program[f"i{number}"]["instanceType"] = "p5.4xlarge"
    assert (found(ZONE, program), found(DOMAIN, program)) == ([], [])
