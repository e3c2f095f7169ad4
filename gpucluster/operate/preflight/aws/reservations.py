"""Reservations and capacity blocks: count, zone, dates, state, machine, platform.

Source: Amazon EC2 API, CapacityReservation; AWS Resource Groups API, ListGroupResources.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from gpucluster.components.aws.location import is_zone_id
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.clients.aws.errors import code_of
from gpucluster.operate.preflight.answers import Answer, fine, refused
from gpucluster.operate.preflight.aws.own import Own

_PLATFORM: Final = "Linux/UNIX"
_MISSING: Final = frozenset(
    {"InvalidCapacityReservationId.NotFound", "InvalidCapacityReservationId.Malformed", "NotFoundException"}
)
_SHOW: Final = "aws ec2 describe-capacity-reservations --region {region} --capacity-reservation-ids {id}"
# Until then it has no capacity; afterwards it never has.
_EARLY: Final = frozenset({"scheduled", "payment-pending", "pending", "assessing", "delayed"})


def ask_reservation(caller: Caller, own: Own, question: Question) -> Answer:
    """One reservation, by its id."""
    show = _SHOW.format(region=caller.region, id=question.subject)
    try:
        found = _described(caller, [question.subject])
    except Exception as error:
        if code_of(error) not in _MISSING:
            raise
        found = []
    if not found:
        fix = "write the id of a reservation of this account, or of one that is shared with it, in this region"
        return refused(question, f"not in {caller.region} of this account", fix, show)
    one = found[0]
    for wrong, fix in _faults(one, question):
        return refused(question, wrong, fix, show)
    free = _free(one, own, int(question.needed or 0))
    text = f"{free:,} of {one['TotalInstanceCount']:,} free for this stack, {_when(one)}"
    early = one["State"] in _EARLY
    if early:
        free = one["TotalInstanceCount"]
        text = f"{free:,}, {_when(one)}"
    if free < int(question.needed or 0):
        fix = f"request at most {free:,} nodes, stop what else runs in it, or reserve more"
        return refused(question, text, fix, show)
    if early and question.details["active"]:
        fix = "set purchase.active: false until it starts, or run `up` then"
        return refused(question, text, fix, show)
    return fine(question, text)


def ask_group(caller: Caller, own: Own, question: Question) -> Answer:
    """The reservations of a resource group together; those that don't fit are named."""
    show = f"aws resource-groups list-group-resources --region {caller.region} --group {question.subject}"
    try:
        members = [
            one["Identifier"]["ResourceArn"].rsplit("/", 1)[-1]
            for one in caller.pages("resource-groups", "list_group_resources", "Resources", Group=question.subject)
            if one["Identifier"]["ResourceType"] == "AWS::EC2::CapacityReservation"
        ]
    except Exception as error:
        if code_of(error) not in _MISSING:
            raise
        return refused(question, f"no such resource group in {caller.region}", "write the ARN of one", show)
    if not members:
        return refused(question, "no reservation in it", "add reservations to it", show)
    described = _described(caller, members)
    faults = {one["CapacityReservationId"]: next(_faults(one, question), None) for one in described}
    fitting = [one for one in described if not faults[one["CapacityReservationId"]] and one["State"] == "active"]
    needed = int(question.needed or 0)
    free = sum(_free(one, own, needed) for one in fitting)
    other = "".join(f"; {id_}: {fault[0]}" for id_, fault in faults.items() if fault)
    text = f"{free:,} free for this stack in {len(fitting)} of {len(members)} reservations{other}"
    if free >= needed:
        return fine(question, text)
    return refused(question, text, f"request at most {free:,} nodes, or add reservations to the group", show)


def _described(caller: Caller, ids: list[str]) -> list[Any]:
    return list(
        caller.pages("ec2", "describe_capacity_reservations", "CapacityReservations", CapacityReservationIds=ids)
    )


def _free(one: Any, own: Own, needed: int) -> int:
    """Instances for the stack: those that are free, and those in which its machines run already."""
    free: int = one["AvailableInstanceCount"]
    return free if free >= needed else free + own.in_reservation(one["CapacityReservationId"])


def _when(one: Any) -> str:
    start, end = one.get("StartDate"), one.get("EndDate")
    dates = [f"from {_day(start)}" if start else "", f"until {_day(end)}" if end else ""]
    return " ".join([one["State"], *filter(None, dates)])


def _day(date: datetime) -> str:
    return f"{date:%Y-%m-%d %H:%M} UTC"


def _faults(one: Any, question: Question) -> Iterator[tuple[str, str]]:
    """(what is wrong with a reservation, what to do)."""
    machine, zone, kind = question.details["machine"], question.place, question.details["type"]
    if one["InstanceType"] != machine:
        yield f"is of {one['InstanceType']}", "choose that machine, or another reservation"
    place = one["AvailabilityZoneId"] if is_zone_id(zone) else one["AvailabilityZone"]
    if place != zone:
        yield f"is in {place}", f"set the zone: pulumi config set gpucluster:zone {place}"
    if one.get("InstancePlatform", _PLATFORM) != _PLATFORM:
        yield f"is of platform {one['InstancePlatform']}", f"reserve platform {_PLATFORM}: the nodes run Amazon Linux"
    if one.get("Tenancy", "default") != "default":
        yield f"has tenancy {one['Tenancy']}", "reserve default tenancy"
    if one.get("ReservationType", "default") != kind:
        yield (
            f"is of type {one.get('ReservationType')}",
            "set purchase.kind of the spec: capacity-block for a block, on-demand for a reservation",
        )
    if one["State"] not in {"active", *_EARLY}:
        yield f"is {one['State']}", "write another reservation"
    group = (one.get("PlacementGroupArn") or "").rsplit("/", 1)[-1]
    if group != question.details["group"]:
        wanted = f"write placement.group: {group}" if group else "remove placement.group"
        yield f"was created in {f'placement group {group}' if group else 'no placement group'}", wanted
