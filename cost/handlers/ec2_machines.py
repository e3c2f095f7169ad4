"""Whole machines by the hour, shared by node groups and instances."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from cost.model import HOURS_PER_MONTH, CostLine, Count, cents
from cost.prices import Price
from cost.resources import UNKNOWN, Resource
from cost.subject import CannotPrice, Subject, read

__all__ = ["LAUNCH_TEMPLATE", "machine_line", "plain", "reservation_of", "reserved_line"]

LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
_RESERVATIONS: Final = (
    "aws:ec2/capacityReservation:CapacityReservation",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
)
_WORDS: Final = {"on_demand": "on demand", "spot": "spot"}


def plain(number: Decimal) -> str:
    """A number without exponent or trailing zeros."""
    return f"{number.normalize():f}"


def machine_line(ask: Subject, machine: str, count: Decimal, purchase: str, *, assumption: str = "") -> CostLine:
    """`count` machines running all month."""
    price = ask.price(machine, "instance-hour", purchase)
    return ask.line(
        f"{plain(count)} x {machine} {_WORDS[purchase]}",
        count * HOURS_PER_MONTH,
        price,
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption=assumption,
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


def reserved_line(
    ask: Subject, machine: str, count: Count, target: Resource | str, purchase: str = "on_demand"
) -> CostLine:
    """Machines inside a reservation: billed by the reservation, used or not, so never a second time here.

    purchase: how the reservation is paid for, to say what it is worth.
    """
    running = count.times(HOURS_PER_MONTH)
    hours = running.expected
    price = ask.book.lookup(ask.provider, ask.region, machine, purchase, unit="instance-hour")
    worth = cents(hours * price.usd) if isinstance(price, Price) else Decimal(0)
    if isinstance(target, Resource):
        where, said = target.name, f"billed by {target.name}, used or not"
    else:
        where, said = target, f"{target} is not part of this stack: taken as already paid for"
    return CostLine(
        urn=ask.urn,
        part=ask.part,
        name=f"{plain(count.expected)} x {machine} in reservation {where}",
        quantity=hours,
        unit="instance-hour",
        unit_price=Decimal(0),
        region=ask.region,
        purchase="reservation",
        source=said,
        as_of="",
        confidence="high",
        basis=f"{plain(count.expected)} x {HOURS_PER_MONTH} h",
        assumption=said,
        floor=running.floor,
        ceiling=running.ceiling,
        spend="committed-elsewhere",
        committed_monthly=Decimal(0) if isinstance(target, Resource) else worth,
    )
