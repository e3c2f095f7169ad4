"""A placement group and a reservation go together only when the reservation was made in the group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.placement import PLACEMENT_GROUP, Group, Reservation, group_of, reservation_of
from gpucluster.policies.clouds.aws.pools import LAUNCH_TEMPLATE
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import text

__all__ = ["FIX", "READS", "check"]

FIX: Final = (
    "Remove placement.groupName from the launch template (the reservation is the co-location domain), or make the "
    "reservation in the group (placementGroupArn of the capacity reservation)."
)
READS: Final = (
    "aws:ec2/launchTemplate:LaunchTemplate, aws:ec2/placementGroup:PlacementGroup, "
    "aws:ec2/capacityReservation:CapacityReservation"
)


def check(stack: Stack) -> Iterator[Finding]:
    for template in stack.resources.of_type(LAUNCH_TEMPLATE):
        group, reservation = group_of(template, stack.resources), reservation_of(template, stack.resources)
        if isinstance(group, Group) and isinstance(reservation, Reservation):
            yield from _together(template, group, reservation, stack.resources)


def _together(template: Resource, group: Group, reservation: Reservation, resources: Resources) -> Iterator[Finding]:
    both = f"{_named('placement group', group)} together with {_named('reservation', reservation)}"
    if reservation.resource is not None:
        made_in = _made_in(reservation.resource, group, resources)
        if made_in is None:
            yield CannotTell(template, f"{both}: which group the reservation is made in is not known yet")
        elif not made_in:
            yield Violation(template, f"{both}, which is not made in that group")
    elif group.resource is not None and isinstance(reservation.id, str) and not reservation.by_resource_group:
        yield Violation(template, f"{both}, which was made elsewhere and not in a group this stack makes")
    else:
        yield CannotTell(template, f"{both}: whether it was made in that group is not visible here")


def _named(kind: str, thing: Group | Reservation) -> str:
    if thing.resource is not None:
        return f"{kind} `{thing.resource.name}`"
    name = thing.name if isinstance(thing, Group) else thing.id
    return f"a {kind} whose name is not known yet" if name is UNKNOWN else f"{kind} `{name}`"


def _made_in(reservation: Resource, group: Group, resources: Resources) -> bool | None:
    """Whether the reservation is made in the group, None when that is not known yet."""
    made_in = resources.referred(reservation, "placementGroupArn", PLACEMENT_GROUP)
    if made_in is not None and group.resource is not None:
        return made_in.urn == group.resource.urn
    arn = text(reservation.inputs, "placementGroupArn")
    if arn is None:
        return False
    if arn is UNKNOWN or group.name is UNKNOWN:
        return None
    return arn.rpartition("/")[2] == group.name
