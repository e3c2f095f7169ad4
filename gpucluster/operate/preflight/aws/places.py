"""Zones of an account, and the machines that EC2 offers in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.aws.location import is_zone_id
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.answers import Answer, fine, refused

_USED: Final = frozenset({"opted-in", "opt-in-not-required"})


def ask_zones(caller: Caller, questions: Sequence[Question]) -> list[Answer]:
    """Name and id of each zone, whether the account uses it, and whether EKS does."""
    found = caller.client("ec2").describe_availability_zones(AllAvailabilityZones=True)["AvailabilityZones"]
    zones = {name: one for one in found for name in (one["ZoneName"], one["ZoneId"])}
    return [_zone(question, zones) for question in questions]


def _zone(question: Question, zones: Mapping[str, Any]) -> Answer:
    one = zones.get(question.subject)
    if one is None:
        names = ", ".join(sorted(f"{zone['ZoneName']} ({zone['ZoneId']})" for zone in _unique(zones)))
        return refused(question, "not a zone of this account", f"write one that it has: {names}")
    known_as = one["ZoneName"] if is_zone_id(question.subject) else one["ZoneId"]
    text = f"{known_as}, {one.get('State', 'available')}"
    if one.get("OptInStatus", "opted-in") not in _USED:
        group = one.get("GroupName") or question.details.get("group", "")
        command = (
            f"aws ec2 modify-availability-zone-group --region {question.place} --group-name {group} "
            "--opt-in-status opted-in"
        )
        return refused(question, f"{known_as}, {one['OptInStatus']}", "opt in to it", command)
    if one["ZoneId"] in question.details.get("refused", "").split():
        usable = [
            zone["ZoneName"]
            for zone in _unique(zones)
            if zone["ZoneId"] not in question.details["refused"].split() and zone.get("ZoneType") == "availability-zone"
        ]
        fix = f"EKS places no control plane there: write another zone or secondZone, of {', '.join(sorted(usable))}"
        return refused(question, text, fix)
    if one.get("State", "available") not in ("available", "information"):
        return refused(question, text, "choose another zone")
    return fine(question, text)


def _unique(zones: Mapping[str, Any]) -> list[Any]:
    return list({one["ZoneId"]: one for one in zones.values()}.values())


def ask_offers(caller: Caller, questions: Sequence[Question]) -> list[Answer]:
    """Where EC2 offers each machine, by names or ids of zones as the questions have them: a request for each form."""
    offered: dict[bool, set[tuple[str, str]]] = {}
    for by_id in {is_zone_id(question.place) for question in questions}:
        machines = sorted({one.subject for one in questions if is_zone_id(one.place) is by_id})
        found = caller.pages(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone-id" if by_id else "availability-zone",
            Filters=[{"Name": "instance-type", "Values": machines}],
        )
        offered[by_id] = {(one["InstanceType"], one["Location"]) for one in found}
    return [_offer(question, offered[is_zone_id(question.place)], caller.region) for question in questions]


def _offer(question: Question, offered: set[tuple[str, str]], region: str) -> Answer:
    machine, zone = question.subject, question.place
    zones = sorted(place for name, place in offered if name == machine)
    if zone in zones:
        return fine(question, "offered; an offer is not capacity")
    none = [{"cloud": "aws", "zone": zone, "machine": machine, "available": 0}]
    kept = {} if is_zone_id(zone) else {"capacity": none}
    pool = question.details["pool"]
    if not zones:
        fix = f"choose another region or machine for {pool}"
        return refused(question, f"not offered in {region}", fix, scenario=kept)
    return refused(
        question,
        f"not offered there, but in {', '.join(zones)}",
        f"for {pool} choose one of these zones",
        f"pulumi config set gpucluster:zone {zones[0]}",
        scenario=kept,
    )
