"""EC2 capacity: on-demand reservations and capacity blocks."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing


@prices("aws:ec2/capacityReservation:CapacityReservation")
def capacity_reservation(item: Pricing) -> Iterator[CostLine]:
    """Reserved machines at the on-demand rate, used or not (EC2 user guide, Capacity Reservation billing)."""
    platform = item.text("instancePlatform", default="Linux/UNIX")
    if platform != "Linux/UNIX":
        raise CannotPrice(f"instancePlatform is {platform!r}: the price book has Linux/UNIX prices only")
    count, machine = item.number("instanceCount"), item.text("instanceType")
    yield item.line(
        f"{plain(count)} x {machine} reserved, on demand",
        count * HOURS_PER_MONTH,
        item.price(machine, "instance-hour", region=place_of(item)),
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption="a reservation is billed whether used or not",
    )


@prices("aws:ec2/capacityBlockReservation:CapacityBlockReservation")
def capacity_block(item: Pricing) -> Iterator[NotPriced]:
    """The fee belongs to one offering and is paid upfront; the offering's id does not tell it (EC2 API)."""
    offering = item.resource.inputs.get("capacityBlockOfferingId")
    shown = repr(offering) if isinstance(offering, str) else "not known before the update"
    yield item.not_priced(f"capacity block: the fee is that of its offering ({shown}), paid upfront")
