"""Single Compute Engine machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.catalog.machines import machines
from gpucluster.cost.handlers.gcp_capacity import bought, reserved, target_of
from gpucluster.cost.handlers.gcp_disks import Disk, google_disk_lines, local_ssd_lines
from gpucluster.cost.handlers.gcp_external_ip import external_addresses
from gpucluster.cost.handlers.gcp_licences import check_licence
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.stopped import google_status, say_stopped
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing, read
from gpucluster.program.resources import Resource

_ONE: Final = Count.fixed(Decimal(1))
_PURCHASES: Final = {"STANDARD": "on_demand", "SPOT": "spot", "FLEX_START": "flex_start"}


@prices("gcp:compute/instance:Instance")
def instance(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month, its boot disk and external addresses (Compute Engine and VPC price pages).

    Linux without a licence fee is assumed of an image that does not say otherwise. Of a stopped machine only its disks
    are billed, and capacity reserved elsewhere that it names.
    """
    region = region_of(place_of(item, "zone"))
    status = google_status(item)
    if status == "SUSPENDED":
        yield item.not_priced("it is SUSPENDED: the price book has no price of preserved memory", compute=True)
    elif status == "TERMINATED":
        yield from or_named(item, _stopped(item, region), compute=True)
    else:
        yield from or_named(item, _running(item, region), compute=True)
    yield from _boot_disk(item, region)
    for _ in range(external_addresses(item) if status == "RUNNING" else 0):
        price = item.price("static-ip-hour", "hour", region=region)
        yield item.line("External IPv4 address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


def _stopped(item: Pricing, region: str) -> Iterator[CostLine | NotPriced]:
    target = _target(item)
    say_stopped(item, reserved=target is not None)
    if isinstance(target, str):
        yield from reserved(item, short_name(item.text("machineType")), _ONE.expected, target, region=region)


def _target(item: Pricing) -> Resource | str | None:
    affinity = read(item.resource.inputs, "reservationAffinity")
    return target_of(item, "reservationAffinity", affinity, "type", "specificReservation.values")


def _running(item: Pricing, region: str) -> Iterator[CostLine | NotPriced]:
    machine = short_name(item.text("machineType"))
    check_licence(item, "bootDisk", "initializeParams", "image")
    target = _target(item)
    purchase = _purchase(item)
    if target is not None:
        yield from reserved(item, machine, _ONE.expected, target, region=region)
    elif purchase not in _PURCHASES.values():
        yield item.not_priced(f"scheduling.provisioningModel is {purchase!r} without a reservation", compute=True)
    else:
        yield from bought(item, machine, _ONE, purchase, region=region, assumption="Linux")
    if item.items("guestAccelerators") and machine not in machines():
        yield item.not_priced(f"GPUs attached to {machine}: the price book has machines with GPUs only", compute=True)
    if not (machine in machines() and machines()[machine].bundled_ssd):
        scratch = Decimal(len(item.items("scratchDisks")))
        yield from local_ssd_lines(item, scratch, _ONE, region=region, purchase=purchase)


def _purchase(item: Pricing) -> str:
    """How the machine is paid for; the provisioning model itself where no price goes with it."""
    model = item.text("scheduling", "provisioningModel", default="STANDARD")
    if model == "STANDARD" and item.get("scheduling", "preemptible"):
        return "spot"
    return _PURCHASES.get(model, model)


def _boot_disk(item: Pricing, region: str) -> Iterator[CostLine | NotPriced]:
    if item.get("bootDisk", "source") is not None:
        return  # a disk of its own
    path = ("bootDisk", "initializeParams")
    if item.get(*path, "size") is None:
        raise CannotPrice("boot disk: its size is that of its image, which a plan does not show; set bootDisk size")
    disk = Disk(short_name(item.text(*path, "type", default="pd-standard")), item.number(*path, "size"))
    yield from google_disk_lines(item, disk, _ONE, what="boot disk", region=region)
