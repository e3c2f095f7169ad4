"""Capacity reservation groups: what they hold, where, until when, and for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.compute.models import CapacityReservation, CapacityReservationGroup

from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused
from gpucluster.operate.preflight.azure.ids import id_of, other_region
from gpucluster.operate.preflight.azure.own_use import own_machines


def reservation_askers(clients: Clients, plan: AzureClusterPlan) -> Mapping[str, Asker]:
    """plan: of the stack, which may be up."""
    return {"reservation": lambda asked: [_group(clients, plan, one) for one in asked]}


def _group(clients: Clients, plan: AzureClusterPlan, question: Question) -> Answer:
    place = id_of(question.subject)
    api = clients.of(place.subscription).compute
    try:
        group = api.capacity_reservation_groups.get(place.group, place.name, expand="instanceView")
    except ResourceNotFoundError:
        return refused(
            question, "does not exist", "write the id of yours as placement.id", "az capacity reservation group list"
        )
    if elsewhere := other_region(question, group.location) or _not_shared(question, group, place.subscription):
        return elsewhere
    members = [*api.capacity_reservations.list_by_capacity_reservation_group(place.group, place.name)]
    used = _used(group)
    own = {name: own_machines(clients, plan, ids) if ids else 0 for name, ids in used.items()}
    return _members(question, members, used, own)


def _not_shared(question: Question, group: CapacityReservationGroup, owner: str) -> Answer | None:
    here = question.details["subscription"].lower()
    if owner.lower() == here:
        return None
    sharing = None if group.properties is None else group.properties.sharing_profile
    shared = [] if sharing is None else [(one.id or "").lower() for one in sharing.subscription_ids or []]
    if any(one.endswith(here) for one in shared):
        return None
    fix = "its owner must share it with this subscription (sharingProfile); a block can't be shared"
    return refused(question, f"of subscription {owner}, not shared with this one", fix)


def _used(group: CapacityReservationGroup) -> Mapping[str, Sequence[str]]:
    """Name of a member -> ids of the machines that are in it."""
    view = None if group.properties is None else group.properties.instance_view
    if view is None:
        return {}
    found: dict[str, Sequence[str]] = {}
    for one in view.capacity_reservations or []:
        use = one.utilization_info
        found[(one.name or "").lower()] = [one.id or "" for one in (use and use.virtual_machines_allocated) or []]
    return found


def _members(
    question: Question,
    members: Sequence[CapacityReservation],
    used: Mapping[str, Sequence[str]],
    own: Mapping[str, int],
) -> Answer:
    """Those of the machine, in the zone, now: AKS uses no others, and only warns. own: used by the stack."""
    machine, zone, needed = question.details["machine"], question.details["zone"], int(question.needed or 0)
    right = [one for one in members if (one.sku.name or "").lower() == machine.lower()]
    if not right:
        others = ", ".join(sorted({one.sku.name or "an unnamed type" for one in members})) or "nothing"
        return refused(question, f"holds {others}", f"reserve {needed} x {machine} in it")
    in_zone = [one for one in right if zone in (one.zones or [])] if zone else [one for one in right if not one.zones]
    if not in_zone:
        zones = ", ".join(sorted({number for one in right for number in one.zones or []})) or "none"
        fix = f'write gpucluster:zone: "{zones[0]}"' if zones != "none" else "write gpucluster:zone: none"
        return refused(question, f"holds {machine} in zone {zones}", fix)
    if dates := _outside_dates(in_zone):
        return refused(question, dates, "wait until it starts (purchase.active: false), or buy another block")
    held = sum(int(one.sku.capacity or 0) for one in in_zone)
    names = [(one.name or "").lower() for one in in_zone]
    taken, by_stack = sum(len(used.get(name, ())) for name in names), sum(own.get(name, 0) for name in names)
    left = held - taken + by_stack
    found = f"{left} left: {taken} of {held} in use" + (f", {by_stack} by this stack" if by_stack else "")
    if left >= needed:
        return fine(question, found + _until(in_zone))
    return refused(question, found, f"reserve {needed - left} more, or set training.nodes to fewer")


def _outside_dates(members: Sequence[CapacityReservation]) -> str:
    """Why none of the members, which are blocks, holds machines today; empty if one does."""
    now, texts = datetime.now(UTC), list[str]()
    for one in members:
        start, end = _dates(one)
        if start is not None and start > now:
            texts.append(f"starts {start:%Y-%m-%d %H:%M} UTC")
        elif end is not None and end <= now:
            texts.append(f"ended {end:%Y-%m-%d %H:%M} UTC")
    return ", ".join(texts) if len(texts) == len(members) else ""


def _until(members: Sequence[CapacityReservation]) -> str:
    ends = [end for one in members if (end := _dates(one)[1]) is not None]
    return f", until {min(ends):%Y-%m-%d %H:%M} UTC" if ends else ""


def _dates(member: CapacityReservation) -> tuple[datetime | None, datetime | None]:
    profile: Any = None if member.properties is None else member.properties.schedule_profile
    return (None, None) if profile is None else (_moment(profile.start), _moment(profile.end))


def _moment(text: str | None) -> datetime | None:
    """A day, or a moment in UTC. Source: Azure compute API, ScheduleProfile."""
    if not text:
        return None
    read = datetime.fromisoformat(text)
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
