"""Placement of machines: a placement group, a capacity reservation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, text

PLACEMENT_GROUP: Final = "aws:ec2/placementGroup:PlacementGroup"
CAPACITY_BLOCK: Final = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
RESERVATIONS: Final = ("aws:ec2/capacityReservation:CapacityReservation", CAPACITY_BLOCK)


@dataclass(frozen=True)
class Group:
    """A placement group by the given name or id; `resource` if it is in this stack."""

    name: str | Unknown
    resource: Resource | None


@dataclass(frozen=True)
class Reservation:
    """A targeted reservation by its id or resource group; `resource` if it is in this stack."""

    id: str | Unknown
    resource: Resource | None
    by_resource_group: bool


def group_of(template: Resource, resources: Resources) -> Group | Unknown | None:
    """The placement group of a launch template; UNKNOWN if it is unknown whether it has one."""
    if at(template.inputs, "placement") is UNKNOWN:
        made = resources.referred(template, "placement", PLACEMENT_GROUP)
        return Group(UNKNOWN, made) if made else UNKNOWN
    name = text(template.inputs, "placement", "groupName")
    identity = text(template.inputs, "placement", "groupId")
    return _group(template, "placement", identity if name is None else name, resources)


def own_group_of(machines: Resource, resources: Resources) -> Group | None:
    """The placement group that an instance or Auto Scaling group names itself."""
    return _group(machines, "placementGroup", text(machines.inputs, "placementGroup"), resources)


def _group(resource: Resource, prop: str, given: str | Unknown | None, resources: Resources) -> Group | None:
    if given is None:
        return None
    made = resources.referred(resource, prop, PLACEMENT_GROUP) or next(
        (
            group
            for group in resources.of_type(PLACEMENT_GROUP)
            if given is not UNKNOWN
            and given in (at(group.inputs, "name"), at(group.outputs, "name"), at(group.outputs, "placementGroupId"))
        ),
        None,
    )
    return Group(given, made)


def reservation_of(template: Resource, resources: Resources) -> Reservation | Unknown | None:
    """The reservation that a template, group or instance targets; UNKNOWN if it is unknown whether it has one."""
    target = at(template.inputs, "capacityReservationSpecification", "capacityReservationTarget")
    made = next(
        (
            found
            for type_ in RESERVATIONS
            if (found := resources.referred(template, "capacityReservationSpecification", type_)) is not None
        ),
        None,
    )
    if target is UNKNOWN:
        return Reservation(UNKNOWN, made, by_resource_group=False) if made else UNKNOWN
    identity = _first(target, "capacityReservationId")
    if identity is not None:
        return Reservation(identity, made, by_resource_group=False)
    resource_group = _first(target, "capacityReservationResourceGroupArn")
    return None if resource_group is None else Reservation(resource_group, None, by_resource_group=True)


def outside_a_group(reservation: Reservation) -> bool:
    """Whether the stack declares a reservation without a placement group, which says nothing of its machines' places.

    EC2 API, CapacityReservation.placementGroupArn; the machines of a capacity block are in one network block.
    """
    made = reservation.resource
    return made is not None and made.type != CAPACITY_BLOCK and at(made.inputs, "placementGroupArn") is None


def _first(target: object, name: str) -> str | Unknown | None:
    """A property of a template; an Auto Scaling group has it as a list, with an s at the end of the name."""
    own = text(target, name)
    return text(target, f"{name}s", 0) if own is None else own
