"""Single machines and scale sets of Azure, and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.azure_capacity import machine_lines, purchase_of
from gpucluster.cost.handlers.azure_disks import azure_disk_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject


@prices("azure-native:compute:VirtualMachine")
def virtual_machine(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """One machine all month and its disks (Linux Virtual Machines and Managed Disks price pages)."""
    yield from _machines(ask, (), ask.text("hardwareProfile", "vmSize"), Count.fixed(Decimal(1)))


@prices("azure-native:compute:VirtualMachineScaleSet")
def scale_set(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """`sku.capacity` machines all month and their disks; what an autoscale setting adds is not known here."""
    capacity = Count.fixed(ask.number("sku", "capacity"))
    yield from _machines(ask, ("virtualMachineProfile",), ask.text("sku", "name"), capacity)


def _machines(ask: Subject, at: tuple[str, ...], machine: str, count: Count) -> Iterator[CostLine | NotPriced]:
    if ask.get(*at, "osProfile", "windowsConfiguration") is not None:
        raise CannotPrice("a Windows machine: the price book has Linux only")
    region, group = place_of(ask), (*at, "capacityReservation", "capacityReservationGroup", "id")
    purchase = purchase_of(ask.get(*at, "priority"))
    yield from machine_lines(ask, machine, count, purchase, region=region, group=group, said="Linux")
    disks = (*at, "storageProfile")
    if ask.get(*disks, "osDisk", "diffDiskSettings") is None:
        yield from or_named(ask, _disk(ask, (*disks, "osDisk"), count, region), what="system disk")
    for index in range(len(ask.items(*disks, "dataDisks"))):
        lines = _disk(ask, (*disks, "dataDisks", index), count, region)
        yield from or_named(ask, lines, what=f"data disk {index + 1}")


def _disk(ask: Subject, at: tuple[str | int, ...], count: Count, region: str) -> Iterator[CostLine]:
    if ask.get(*at, "createOption") == "Attach":
        return  # a disk of its own
    if ask.get(*at, "diskSizeGB") is None:
        raise CannotPrice("its size is that of its image, which a plan does not tell; set diskSizeGB")
    sku = ask.text(*at, "managedDisk", "storageAccountType")
    what = "system disks" if at[-1] == "osDisk" else "data disks"
    yield from azure_disk_lines(ask, sku, ask.number(*at, "diskSizeGB"), count, what=what, region=region)
