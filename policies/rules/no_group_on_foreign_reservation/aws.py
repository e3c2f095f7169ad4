"""A placement group and a reservation are compatible only if the reservation was created in the group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import INSTANCE, LAUNCH_TEMPLATE, SCALING_GROUP
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.placement import (
    PLACEMENT_GROUP,
    Group,
    Reservation,
    group_of,
    own_group_of,
    reservation_of,
)
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import text

FIX: Final = (
    "Remove placement.groupName from the launch template (the reservation is the co-location domain), or create the "
    "reservation in the group (placementGroupArn of the capacity reservation)."
)
READS: Final = f"{MACHINES}, aws:ec2/placementGroup:PlacementGroup, aws:ec2/capacityReservation:CapacityReservation"


def check(stack: Stack) -> Iterator[Finding]:
    resources = stack.resources
    for template in resources.of_type(LAUNCH_TEMPLATE):
        yield from _of(template, group_of(template, resources), reservation_of(template, resources), resources)
    for type_ in (SCALING_GROUP, INSTANCE):
        for machines in resources.of_type(type_):
            own_group, own_reservation = own_group_of(machines, resources), reservation_of(machines, resources)
            template = resources.referred(machines, "launchTemplate", LAUNCH_TEMPLATE)
            if (own_group is not None or own_reservation is not None) and template is not None:
                own_group = group_of(template, resources) if own_group is None else own_group
                own_reservation = reservation_of(template, resources) if own_reservation is None else own_reservation
            yield from _of(machines, own_group, own_reservation, resources)


def _of(
    resource: Resource, group: Group | Unknown | None, reservation: Reservation | Unknown | None, resources: Resources
) -> Iterator[Finding]:
    if group is None or reservation is None:
        return
    if isinstance(group, Group) and isinstance(reservation, Reservation):
        yield from _together(resource, group, reservation, resources)
    else:
        yield CannotTell(resource, "whether it has both a placement group and a reservation is not known yet")


def _together(template: Resource, group: Group, reservation: Reservation, resources: Resources) -> Iterator[Finding]:
    both = f"{_named('placement group', group)} together with {_named('reservation', reservation)}"
    if reservation.resource is not None:
        made_in = _made_in(reservation.resource, group, resources)
        if made_in is None:
            yield CannotTell(template, f"{both}: the group of the reservation is not known yet")
        elif not made_in:
            yield Violation(template, f"{both}, which is not created in that group")
    elif group.resource is not None and isinstance(reservation.id, str) and not reservation.by_resource_group:
        yield Violation(template, f"{both}, which was created outside this stack, so not in a group of this stack")
    else:
        yield CannotTell(template, f"{both}: whether it was created in that group is unknown")


def _named(kind: str, thing: Group | Reservation) -> str:
    if thing.resource is not None:
        return f"{kind} `{thing.resource.name}`"
    name = thing.name if isinstance(thing, Group) else thing.id
    return f"a {kind} whose name is not known yet" if name is UNKNOWN else f"{kind} `{name}`"


def _made_in(reservation: Resource, group: Group, resources: Resources) -> bool | None:
    """Whether the reservation is created in the group, None if unknown before the update."""
    made_in = resources.referred(reservation, "placementGroupArn", PLACEMENT_GROUP)
    if made_in is not None and group.resource is not None:
        return made_in.urn == group.resource.urn
    arn = text(reservation.inputs, "placementGroupArn")
    if arn is None:
        return False
    if arn is UNKNOWN or group.name is UNKNOWN:
        return None
    return arn.rpartition("/")[2] == group.name
