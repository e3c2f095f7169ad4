"""Single Compute Engine machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.catalog.machines import machines
from gpucluster.cost.handlers.gcp_capacity import bought, reserved, target_of
from gpucluster.cost.handlers.gcp_disks import Disk, google_disk_lines, local_ssd_lines
from gpucluster.cost.handlers.gcp_external_ip import external_addresses
from gpucluster.cost.handlers.gcp_place import place_of, region_of, short_name
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject, read

_ONE: Final = Count.fixed(Decimal(1))
_PURCHASES: Final = {"STANDARD": "on_demand", "SPOT": "spot", "FLEX_START": "flex_start"}


@prices("gcp:compute/instance:Instance")
def instance(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """One machine all month, its boot disk and external addresses (Compute Engine and VPC price pages).

    Linux without a licence fee is assumed: the image says nothing in a plan.
    """
    machine, region = short_name(ask.text("machineType")), region_of(place_of(ask, "zone"))
    affinity = read(ask.resource.inputs, "reservationAffinity")
    target = target_of(ask, "reservationAffinity", affinity, "type", "specificReservation.values")
    purchase = _purchase(ask)
    if target is not None:
        yield from reserved(ask, machine, _ONE.expected, target, region=region)
    elif purchase not in _PURCHASES.values():
        yield ask.not_priced(f"scheduling.provisioningModel is {purchase!r} without a reservation", compute=True)
    else:
        yield from bought(ask, machine, _ONE, purchase, region=region, assumption="Linux")
    if ask.items("guestAccelerators") and machine not in machines():
        yield ask.not_priced(f"GPUs attached to {machine}: the price book has machines with GPUs only", compute=True)
    if not (machine in machines() and machines()[machine].bundled_ssd):
        scratch = Decimal(len(ask.items("scratchDisks")))
        yield from local_ssd_lines(ask, scratch, _ONE, region=region, purchase=purchase)
    yield from _boot_disk(ask, region)
    for _ in range(external_addresses(ask)):
        price = ask.price("static-ip-hour", "hour", region=region)
        yield ask.line("External IPv4 address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


def _purchase(ask: Subject) -> str:
    """How the machine is paid for; the provisioning model itself where no price goes with it."""
    model = ask.text("scheduling", "provisioningModel", default="STANDARD")
    if model == "STANDARD" and ask.get("scheduling", "preemptible"):
        return "spot"
    return _PURCHASES.get(model, model)


def _boot_disk(ask: Subject, region: str) -> Iterator[CostLine | NotPriced]:
    if ask.get("bootDisk", "source") is not None:
        return  # a disk of its own
    path = ("bootDisk", "initializeParams")
    if ask.get(*path, "size") is None:
        raise CannotPrice("boot disk: its size is that of its image, which a plan does not tell; set bootDisk size")
    disk = Disk(short_name(ask.text(*path, "type", default="pd-standard")), ask.number(*path, "size"))
    yield from google_disk_lines(ask, disk, _ONE, what="boot disk", region=region)
