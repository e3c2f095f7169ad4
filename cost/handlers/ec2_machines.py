"""EC2 machines, shared by node groups, groups and instances: how they are paid for, and the capacity they run in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.covered import Cover, bought
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing, read
from gpucluster.program.resources import UNKNOWN, Resource

LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
_RESERVATIONS: Final = (
    "aws:ec2/capacityReservation:CapacityReservation",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
)


_COVERS: Final = tuple(
    Cover(f"savings_plan_{term}_share", "savings_plan", term, "a savings plan") for term in ("1y", "3y")
)
"""Savings plans without payment upfront: they cover on-demand machines of the account (Savings Plans user guide)."""


def machine_lines(
    item: Pricing, machine: str, count: Count, purchase: str, *, region: str, assumption: str = ""
) -> Iterator[CostLine | NotPriced]:
    """Machines running all month, as many as `count` says. Raises CannotPrice when their price is not known."""
    yield from bought(item, machine, count, purchase, _COVERS, region=region, assumption=assumption)


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
