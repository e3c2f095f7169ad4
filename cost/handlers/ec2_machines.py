"""Whole machines by the hour, shared by node groups and instances."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from cost.model import HOURS_PER_MONTH, CostLine, Count
from cost.resources import UNKNOWN, Resource
from cost.subject import CannotPrice, Subject, read

__all__ = ["LAUNCH_TEMPLATE", "machine_line", "plain", "reservation_of"]

LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
_RESERVATIONS: Final = (
    "aws:ec2/capacityReservation:CapacityReservation",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
)
_WORDS: Final = {"on_demand": "on demand", "spot": "spot"}


def plain(number: Decimal) -> str:
    """A number without exponent or trailing zeros."""
    return f"{number.normalize():f}"


def machine_line(ask: Subject, machine: str, count: Count, purchase: str, *, assumption: str = "") -> CostLine:
    """Machines running all month, as many as `count` says."""
    price = ask.price(machine, "instance-hour", purchase)
    hours = count.times(HOURS_PER_MONTH)
    return ask.line(
        f"{plain(count.expected)} x {machine} {_WORDS[purchase]}",
        hours.expected,
        price,
        basis=f"{plain(count.expected)} x {HOURS_PER_MONTH} h",
        assumption=assumption,
        floor=hours.floor,
        ceiling=hours.ceiling,
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
