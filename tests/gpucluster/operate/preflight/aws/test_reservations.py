"""A reservation is large enough, in the zone, of the machine. Botocore's model holds requests and answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.aws.own import Own
from gpucluster.operate.preflight.aws.reservations import ask_group, ask_reservation
from tests.gpucluster.operate.preflight.aws.asked import question, said
from tests.gpucluster.operate.preflight.aws.stubs import Stubs

ID = "cr-0123456789abcdef0"
GROUP = "arn:aws:resource-groups:us-east-1:123456789012:group/p5"
PLACEMENT = "arn:aws:ec2:us-east-1:123456789012:placement-group/close"
START = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)


def asked(subject: str = ID, *, zone: str = "us-east-1a", block: bool = False, **details: str) -> Question:
    kind = "capacity-block" if block else "default"
    facts = {"machine": "p5.48xlarge", "type": kind, "active": "yes", "group": "", **details}
    return question("reservation", subject, 5, place=zone, details=facts)


def reservation(id_: str = ID, **more: Any) -> dict[str, Any]:
    return {
        "CapacityReservationId": id_,
        "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-east-1a",
        "AvailabilityZoneId": "use1-az6",
        "Tenancy": "default",
        "State": "active",
        "TotalInstanceCount": 8,
        "AvailableInstanceCount": 8,
        **more,
    }


def described(stubs: Stubs, *found: dict[str, Any], ids: list[str] | None = None) -> None:
    answer = {"CapacityReservations": list(found)}
    stubs.add("ec2", "describe_capacity_reservations", answer, {"CapacityReservationIds": ids or [ID]})


def own_machines(stubs: Stubs, count: int) -> None:
    tags = [{"Key": "pulumi-stack", "Value": "aws-trial"}, {"Key": "Name", "Value": "trial-training-nodes"}]
    found = [{"CapacityReservationId": ID, "Tags": tags}] * count
    stubs.add("ec2", "describe_instances", {"Reservations": [{"Instances": found}]})


@pytest.mark.parametrize("zone", ["us-east-1a", "use1-az6"])
def test_a_reservation_that_fits_is_fine(zone: str, stubs: Stubs, caller: Caller, own: Own) -> None:
    described(stubs, reservation(EndDate=START))
    answer = ask_reservation(caller, own, asked(zone=zone))
    assert said(answer) == ("fine", "8 of 8 free for this stack, active until 2026-12-01 11:30 UTC")


@pytest.mark.parametrize(
    ("changed", "found", "fix"),
    [
        ({"InstanceType": "p5.4xlarge"}, "is of p5.4xlarge", "choose that machine"),
        ({"AvailabilityZone": "us-east-1b"}, "is in us-east-1b", "gpucluster:zone us-east-1b"),
        ({"InstancePlatform": "Windows"}, "is of platform Windows", "Linux/UNIX"),
        ({"Tenancy": "dedicated"}, "has tenancy dedicated", "default tenancy"),
        ({"ReservationType": "capacity-block"}, "is of type capacity-block", "purchase.kind"),
        ({"State": "expired"}, "is expired", "another reservation"),
        ({"PlacementGroupArn": PLACEMENT}, "was created in placement group close", "placement.group: close"),
    ],
)
def test_a_reservation_that_does_not_fit_stops(
    changed: dict[str, str], found: str, fix: str, stubs: Stubs, caller: Caller, own: Own
) -> None:
    described(stubs, reservation(**changed))
    answer = ask_reservation(caller, own, asked())
    assert said(answer) == ("stops up", found)
    assert fix in answer.fix


def test_a_group_of_the_spec_must_be_that_of_the_reservation(stubs: Stubs, caller: Caller, own: Own) -> None:
    described(stubs, reservation())
    assert said(ask_reservation(caller, own, asked(group="close"))) == ("stops up", "was created in no placement group")
    described(stubs, reservation(PlacementGroupArn=PLACEMENT))
    assert said(ask_reservation(caller, own, asked(group="close")))[0] == "fine"


@pytest.mark.parametrize(("ours", "verdict"), [(0, "stops up"), (2, "fine")])
def test_machines_of_the_stack_in_it_are_free_for_it(
    ours: int, verdict: str, stubs: Stubs, caller: Caller, own: Own
) -> None:
    described(stubs, reservation(AvailableInstanceCount=3))
    own_machines(stubs, ours)
    answer = ask_reservation(caller, own, asked())
    assert said(answer) == (verdict, f"{3 + ours} of 8 free for this stack, active")


@pytest.mark.parametrize(("active", "verdict"), [("yes", "stops up"), ("", "fine")])
def test_a_block_that_starts_later_has_no_machines_yet(
    active: str, verdict: str, stubs: Stubs, caller: Caller, own: Own
) -> None:
    later: dict[str, Any] = {"State": "scheduled", "ReservationType": "capacity-block", "AvailableInstanceCount": 0}
    described(stubs, reservation(**later, StartDate=START))
    own_machines(stubs, 0)
    answer = ask_reservation(caller, own, asked(block=True, active=active))
    assert said(answer) == (verdict, "8, scheduled from 2026-12-01 11:30 UTC")


@pytest.mark.parametrize("code", ["InvalidCapacityReservationId.NotFound", ""])
def test_a_missing_reservation_stops(code: str, stubs: Stubs, caller: Caller, own: Own) -> None:
    if code:
        stubs.fail("ec2", "describe_capacity_reservations", code)
    else:
        described(stubs)
    assert said(ask_reservation(caller, own, asked())) == ("stops up", "not in us-east-1 of this account")


def group(stubs: Stubs, *ids: str) -> None:
    members = [
        {
            "Identifier": {
                "ResourceArn": f"arn:aws:ec2:us-east-1:123456789012:capacity-reservation/{id_}",
                "ResourceType": "AWS::EC2::CapacityReservation",
            }
        }
        for id_ in ids
    ]
    stubs.add("resource-groups", "list_group_resources", {"Resources": members}, {"Group": GROUP})


@pytest.mark.parametrize(("second", "verdict"), [("us-east-1a", "fine"), ("us-east-1b", "stops up")])
def test_the_reservations_of_a_group_count_together(
    second: str, verdict: str, stubs: Stubs, caller: Caller, own: Own
) -> None:
    group(stubs, "cr-1", "cr-2")
    half = {"AvailableInstanceCount": 4, "TotalInstanceCount": 4}
    described(
        stubs,
        reservation("cr-1", **half),
        reservation("cr-2", **half, AvailabilityZone=second),
        ids=["cr-1", "cr-2"],
    )
    own_machines(stubs, 0)
    answer = ask_group(caller, own, asked(GROUP))
    wrong = "8 free for this stack in 2 of 2 reservations"
    if verdict == "stops up":
        wrong = "4 free for this stack in 1 of 2 reservations; cr-2: is in us-east-1b"
    assert said(answer) == (verdict, wrong)


def test_an_empty_and_a_missing_group_stop(stubs: Stubs, caller: Caller, own: Own) -> None:
    group(stubs)
    assert said(ask_group(caller, own, asked(GROUP))) == ("stops up", "no reservation in it")
    stubs.fail("resource-groups", "list_group_resources", "NotFoundException")
    assert said(ask_group(caller, own, asked(GROUP))) == ("stops up", "no such resource group in us-east-1")
