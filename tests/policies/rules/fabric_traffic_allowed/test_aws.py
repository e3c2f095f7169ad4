"""fabric-traffic-allowed: one mutation of the compliant program per case."""

from __future__ import annotations

from gpucluster.policies.rules.fabric_traffic_allowed import RULE
from tests.says import Says

_HALF_OPEN = "the security group of the EFA interfaces allows traffic from itself in one direction only: `efa` lacks "


def test_another_group_may_be_the_open_one(program, found):
    program.add("aws:ec2/securityGroup:SecurityGroup", "nodes", {"vpcId": program.unknown})
    program.depends("template", "networkInterfaces", "nodes", "efa")
    for entry in program["template"]["networkInterfaces"]:
        entry["securityGroups"] = [program.unknown, program.unknown]
    assert found(RULE, program) == []


def test_a_group_open_one_way_only_is_a_mistake_whatever_other_groups_there_are(program, found):
    program.remove("efa-egress")
    for entry in program["template"]["networkInterfaces"]:
        entry["securityGroups"] = [program.unknown, "sg-elsewhere"]
    assert found(RULE, program) == [("train", _HALF_OPEN + "egress")]


def test_a_group_of_another_stack_may_be_the_open_one(program, found, unknown):
    program.remove("efa-ingress")
    program.remove("efa-egress")
    for entry in program["template"]["networkInterfaces"]:
        entry["securityGroups"] = [program.unknown, "sg-elsewhere"]
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("train", Says("security", "EFA", "interfaces", "not"))]


def test_after_the_update_a_known_id_is_still_the_group_made_here(program, found):
    program.remove("efa-egress")
    for entry in program["template"]["networkInterfaces"]:
        entry["securityGroups"] = ["sg-0123"]
    assert found(RULE, program) == [("train", _HALF_OPEN + "egress")]


def _closed_group(program):
    program.add("aws:ec2/securityGroup:SecurityGroup", "closed", {"vpcId": program.unknown})
    program.depends("template", "networkInterfaces", "efa", "closed")


def test_a_group_on_the_first_interface_alone_opens_nothing(program, found):
    _closed_group(program)
    program["efa"]["id"], program["closed"]["id"] = "sg-open", "sg-closed"
    for number, entry in enumerate(program["template"]["networkInterfaces"]):
        entry["securityGroups"] = ["sg-closed"] if number else ["sg-open"]
    assert found(RULE, program) == [("train", Says("no", "EFA", "closed"))]


def test_the_id_of_a_group_is_also_known_by_its_rules(program, found, unknown):
    _closed_group(program)
    for direction in ("ingress", "egress"):
        program[f"efa-{direction}"]["securityGroupId"] = "sg-open"
    for number, entry in enumerate(program["template"]["networkInterfaces"]):
        entry["securityGroups"] = ["sg-open"] if number else ["sg-closed"]
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_one_efa_interface_without_the_open_group_is_enough(program, found):
    _closed_group(program)
    program["efa"]["id"], program["closed"]["id"] = "sg-open", "sg-closed"
    for entry in program["template"]["networkInterfaces"]:
        entry["securityGroups"] = ["sg-open"]
    program["template"]["networkInterfaces"][7]["securityGroups"] = ["sg-closed"]
    assert found(RULE, program) == [("train", Says("no", "EFA", "closed"))]


def test_before_the_update_nobody_knows_which_interface_carries_which_group(program, found, unknown):
    _closed_group(program)
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("train", Says("efa", "closed", "EFA", "not"))]


def test_a_foreign_group_on_the_efa_interfaces_is_not_the_one_made_here(program, found, unknown):
    for entry in program["template"]["networkInterfaces"][1:]:
        entry["securityGroups"] = ["sg-elsewhere"]
    assert found(RULE, program) == []
    assert [name for name, _ in unknown(RULE, program)] == ["train"]
