"""Compute Engine capacity: reservations and future reservations."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import machine_price, plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import Pricing


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
