"""EC2 machines, shared by node groups, groups and instances: the capacity that they target."""

from __future__ import annotations

from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, read

LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
RESERVATION: Final = "aws:ec2/capacityReservation:CapacityReservation"
_RESERVATIONS: Final = (RESERVATION, "aws:ec2/capacityBlockReservation:CapacityBlockReservation")


def reservation_of(item: Pricing) -> Resource | str | None:
    """The capacity that `ask` (a launch template or instance) targets.

    A resource of this stack, the id or ARN of one that is bought elsewhere, or None when it targets none.
    """
    for type_ in _RESERVATIONS:
        found = item.resources.referred(item.resource, "capacityReservationSpecification", type_)
        if found is not None:
            return found
    target = read(item.resource.inputs, "capacityReservationSpecification", "capacityReservationTarget")
    for key in ("capacityReservationId", "capacityReservationResourceGroupArn"):
        value = read(target, key)
        if value is UNKNOWN:
            raise CannotPrice("the capacity reservation it targets is not known before the update")
        if value:
            return str(value)
    return None
