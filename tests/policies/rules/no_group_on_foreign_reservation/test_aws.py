"""no-group-on-foreign-reservation: one mutation of the compliant program per case."""

from __future__ import annotations

from gpucluster.policies.rules.no_group_on_foreign_reservation import RULE

RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"


def _target(program, **target):
    program["template"]["capacityReservationSpecification"] = {"capacityReservationTarget": target}


def _own_reservation(program, **properties):
    program.add(RESERVATION, "reserved", properties)
    _target(program, capacityReservationId=program.unknown)
    program.depends("template", "capacityReservationSpecification", "reserved")


def test_a_group_without_reservation_passes(program, found, unknown):
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_a_reservation_without_group_passes(program, found, unknown):
    del program["template"]["placement"]
    _target(program, capacityReservationId="cr-0123")
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_a_reservation_made_elsewhere_is_not_in_our_group(program, found):
    _target(program, capacityReservationId="cr-0123")
    assert found(RULE, program) == [
        (
            "template",
            "placement group `group` together with reservation `cr-0123`, which was created outside this stack, so "
            "not in a group of this stack",
        )
    ]


def test_a_reservation_made_in_the_group_passes(program, found, unknown):
    _own_reservation(program, placementGroupArn=program.unknown)
    program.depends("reserved", "placementGroupArn", "group")
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_a_reservation_of_this_stack_without_group_is_refused(program, found):
    _own_reservation(program)
    assert found(RULE, program) == [
        ("template", "placement group `group` together with reservation `reserved`, which is not created in that group")
    ]


def test_a_reservation_in_another_group_is_refused(program, found):
    program.add("aws:ec2/placementGroup:PlacementGroup", "second", {"strategy": "cluster"})
    _own_reservation(program, placementGroupArn=program.unknown)
    program.depends("reserved", "placementGroupArn", "second")
    assert [name for name, _ in found(RULE, program)] == ["template"]


def test_the_group_of_a_reservation_may_be_given_by_arn(program, found):
    _own_reservation(program, placementGroupArn="arn:aws:ec2:us-east-1:000000000000:placement-group/rack")
    program["template"]["placement"] = {"groupName": "rack"}
    program.depends("template", "placement")
    assert found(RULE, program) == []


def test_an_arn_not_known_yet_is_said(program, found, unknown):
    _own_reservation(program, placementGroupArn=program.unknown)
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [
        (
            "template",
            "placement group `group` together with reservation `reserved`: the group of the reservation is not known "
            "yet",
        )
    ]


def test_group_and_reservation_both_from_elsewhere_cannot_be_judged(program, found, unknown):
    _target(program, capacityReservationId="cr-0123")
    program["template"]["placement"] = {"groupName": "rack"}
    program.depends("template", "placement")
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [
        (
            "template",
            "placement group `rack` together with reservation `cr-0123`: whether it was created in that group is "
            "unknown",
        )
    ]


def test_a_resource_group_of_reservations_cannot_be_judged(program, found, unknown):
    _target(program, capacityReservationResourceGroupArn="arn:aws:resource-groups:::group/x")
    assert found(RULE, program) == []
    assert [name for name, _ in unknown(RULE, program)] == ["template"]
