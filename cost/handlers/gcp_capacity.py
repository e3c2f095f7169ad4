"""Capacity of Compute Engine: reservations, and images whose licence is billed by the hour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, urn_type
from gpucluster.core.program.values import is_list
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import committed, inside
from gpucluster.cost.handlers.whole_machines import Cover, machine_price, plain
from gpucluster.cost.handlers.whole_machines import bought as covered
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, Between, CostLine, Count, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, read

_BILLED: Final = ("windows-cloud", "windows-sql-cloud", "rhel-cloud", "rhel-sap-cloud", "suse-cloud", "suse-sap-cloud",
                  "ubuntu-os-pro-cloud")  # fmt: skip
"""Projects of premium images (Compute Engine documentation, "Operating system details" and "Premium images")."""


def check_licence(item: Pricing, *path: str | int) -> None:
    """Raises CannotPrice for an image of a project whose images have a licence fee; an unknown image has none."""
    image = read(item.resource.inputs, *path)
    project = next((part for part in str(image).split("/") if part in _BILLED), None)
    if project is not None:
        raise CannotPrice(f"an image of {project}: the price book has machines without a licence fee only")


RESERVATIONS: Final = ("gcp:compute/reservation:Reservation", "gcp:compute/futureReservation:FutureReservation")
"""Types of capacity that a stack may hold itself."""

_COVERS: Final = tuple(Cover(f"cud_{term}_share", "reserved", term, "committed use") for term in ("1y", "3y"))

_ANY_THEN_FAIL: Final = "any open reservation"


def target_of(item: Pricing, config: str, affinity: Any, kind: str, values: str) -> Resource | str | None:
    """The capacity that machines must take: a resource of this stack, a name, or None when they need not take any.

    config: input that contains the affinity. affinity: its value. kind, values: its keys, which differ between node
    pools and machines. A pool that may take an open reservation and need not is priced on demand.
    """
    consume = read(affinity, kind)
    if consume is UNKNOWN:
        raise CannotPrice("whether it uses a reservation is not known before the update")
    if consume == "ANY_RESERVATION_THEN_FAIL":
        return _ANY_THEN_FAIL
    if consume != "SPECIFIC_RESERVATION":
        return None
    for type_ in RESERVATIONS:
        found = item.resources.referred(item.resource, config, type_)
        if found is not None:
            return found
    names = read(affinity, *values.split("."))
    if names is UNKNOWN or (is_list(names) and UNKNOWN in names):
        raise CannotPrice("the reservation it uses is not known before the update")
    if not is_list(names) or not names:
        raise CannotPrice("it requires a specific reservation but names none")
    return str(names[0])


def reserved(
    item: Pricing, machine: str, count: Decimal, target: Resource | str, *, region: str, calendar: Decimal | None = None
) -> Iterator[CostLine | NotPriced]:
    """Machines that their reservation bills, used or not, so each of them once.

    calendar: machines that the reservation holds where it is known to be one of calendar mode. Of any other that is
    bought outside the stack a plan does not tell how, so it is priced at the on-demand rate, and the rate in calendar
    mode is named (Compute Engine documentation, reservations and future reservations in calendar mode).
    """
    if isinstance(target, Resource):
        yield inside(item, machine, count, target.name, f"billed by {target.name}, used or not", region=region)
        return
    rate = item.find(machine, "instance-hour", "dws_calendar", region=region)
    if calendar is not None:
        held = max(calendar, count)
        assumption = (
            f"{target} is a reservation in calendar mode, not part of this stack: its {plain(held)} machines are "
            "billed for its whole period, used or not"
        )
        yield from committed(item, machine, count, rate, target, assumption, held=held, used=held, region=region)
        return
    assumption = (
        f"{target} is not part of this stack: billed by its reservation while it exists, used or not, at the on-demand "
        "rate"
    )
    if isinstance(rate, Price) and rate.instead_of is None:
        assumption += f", or at ${rate.usd:f} per instance-hour for its whole period when bought in calendar mode"
    assumption += "; its capacity beyond these machines is unknown"
    found = item.find(machine, "instance-hour", region=region)
    yield from committed(item, machine, count, found, target, assumption, region=region)


def bought(
    item: Pricing,
    machine: str,
    count: Count,
    purchase: str,
    *,
    region: str,
    autoscaled: bool = False,
    assumption: str = "",
) -> Iterator[CostLine | NotPriced]:
    """Machines that this stack pays for, some of them under committed use. Raises CannotPrice without a price."""
    yield from covered(
        item, machine, count, purchase, _COVERS, region=region, autoscaled=autoscaled, assumption=assumption
    )


def open_reservations(item: Pricing, machine: str, zone: str) -> list[Resource]:
    """Reservations of the stack that any machine of this type and zone uses that does not refuse (Compute Engine
    documentation, consume reservations). None of a machine in a region, whose zone is not known.
    """

    def matches(found: Resource) -> bool:
        of = item.of(found)
        kind = read(found.inputs, "specificReservation", "instanceProperties", "machineType")
        place = read(found.inputs, "zone")
        return not of.get("specificReservationRequired") and (
            isinstance(kind, str)
            and isinstance(place, str)
            and (short_name(kind), short_name(place)) == (machine, zone)
        )

    return [found for found in item.resources.of_type(RESERVATIONS[0]) if matches(found)]


def takes_any(item: Pricing, *affinity: str) -> bool:
    """Whether machines use any open reservation; they do unless they say otherwise."""
    kind = item.get(*affinity)
    return kind in (None, "ANY_RESERVATION", "RESERVATION_AFFINITY_UNSPECIFIED", "UNSPECIFIED")


def perhaps_open(lines: Iterator[CostLine | NotPriced], found: list[Resource]) -> Iterator[CostLine | NotPriced]:
    """Lines of machines, which cost nothing more as far as open reservations hold them."""
    names = ", ".join(one.name for one in found)
    reason = f"they may run in {names}, an open reservation of this stack, which is billed whether used or not"
    for line in lines:
        if not found or not isinstance(line, CostLine) or line.unit != "instance-hour" or line.paid_by:
            yield line
            continue
        zero = Decimal(0)
        none = replace(line, quantity=zero, floor=zero)
        between = Between(none, line, "nothing if the reservation holds them, the whole price if not")
        yield NotPriced(line.urn, urn_type(line.urn), line.part, reason, compute=True, between=between)


@prices("gcp:compute/reservation:Reservation")
def reservation(item: Pricing) -> Iterator[CostLine]:
    """Reserved machines at the on-demand rate, used or not (Compute Engine documentation, reservations)."""
    count = item.number("specificReservation", "count")
    machine = short_name(item.text("specificReservation", "instanceProperties", "machineType"))
    region = region_of(place_of(item, "zone"))
    yield item.line(
        f"{plain(count)} x {machine} reserved, on demand",
        count * HOURS_PER_MONTH,
        machine_price(item, machine, "on_demand", region=region),
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption="a reservation is billed whether used or not",
    )


@prices("gcp:compute/futureReservation:FutureReservation")
def future_reservation(item: Pricing) -> Iterator[Free | NotPriced]:
    """A draft costs nothing; one that is submitted is billed for its time window, and cannot be cancelled."""
    if item.text("planningStatus", default="DRAFT") == "DRAFT":
        yield item.free(
            "a draft reserves nothing", "https://cloud.google.com/compute/docs/instances/future-reservations-overview"
        )
    else:
        yield item.not_priced("submitted: billed for its whole time window, not by the month", compute=True)
