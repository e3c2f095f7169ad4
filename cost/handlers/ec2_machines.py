"""The capacity that EC2 machines run in, shared by node groups and instances."""

from __future__ import annotations

from typing import Final

from gpucluster.cost.subject import CannotPrice, Subject, read
from gpucluster.program.resources import UNKNOWN, Resource

__all__ = ["LAUNCH_TEMPLATE", "reservation_of"]

LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
_RESERVATIONS: Final = (
    "aws:ec2/capacityReservation:CapacityReservation",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
)


def reservation_of(ask: Subject) -> Resource | str | None:
    """The capacity that `ask` (a launch template or instance) targets.

    A resource of this stack, the id or ARN of one that is bought elsewhere, or None when it targets none.
    """
    for type_ in _RESERVATIONS:
        found = ask.resources.referred(ask.resource, "capacityReservationSpecification", type_)
        if found is not None:
            return found
    target = read(ask.resource.inputs, "capacityReservationSpecification", "capacityReservationTarget")
    for key in ("capacityReservationId", "capacityReservationResourceGroupArn"):
        value = read(target, key)
        if value is UNKNOWN:
            raise CannotPrice("the capacity reservation it targets is not known before the update")
        if value:
            return str(value)
    return None
