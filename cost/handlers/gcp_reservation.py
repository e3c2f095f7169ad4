"""Compute Engine capacity: reservations and future reservations."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import machine_price, plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.subject import Subject


@prices("gcp:compute/reservation:Reservation")
def reservation(ask: Subject) -> Iterator[CostLine]:
    """Reserved machines at the on-demand rate, used or not (Compute Engine documentation, reservations)."""
    count = ask.number("specificReservation", "count")
    machine = short_name(ask.text("specificReservation", "instanceProperties", "machineType"))
    region = region_of(place_of(ask, "zone"))
    yield ask.line(
        f"{plain(count)} x {machine} reserved, on demand",
        count * HOURS_PER_MONTH,
        machine_price(ask, machine, "on_demand", region=region),
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption="a reservation is billed whether used or not",
    )


@prices("gcp:compute/futureReservation:FutureReservation")
def future_reservation(ask: Subject) -> Iterator[Free | NotPriced]:
    """A draft costs nothing; one that is submitted is billed for its time window, and cannot be taken back."""
    if ask.text("planningStatus", default="DRAFT") == "DRAFT":
        yield ask.free(
            "a draft reserves nothing", "https://cloud.google.com/compute/docs/instances/future-reservations-overview"
        )
    else:
        yield ask.not_priced("submitted: billed for its whole time window, which no month's price tells", compute=True)
