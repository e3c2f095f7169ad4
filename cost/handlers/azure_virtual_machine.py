"""Single machines and scale sets of Azure, and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.azure_capacity import machine_lines, purchase_of
from gpucluster.cost.handlers.azure_disks import azure_disk_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.stopped import say_stopped, virtual_machine_is_deallocated
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing, read


@prices("azure-native:compute:VirtualMachine")
def virtual_machine(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month and its disks (Linux Virtual Machines and Managed Disks price pages)."""
    yield from _machines(item, (), item.text("hardwareProfile", "vmSize"), Count.fixed(Decimal(1)))


@prices("azure-native:compute:VirtualMachineScaleSet")
def scale_set(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`sku.capacity` machines all month and their disks; what an autoscale setting adds is not known here."""
    capacity = Count.fixed(item.number("sku", "capacity"))
    yield from _machines(item, ("virtualMachineProfile",), item.text("sku", "name"), capacity)


def _machines(item: Pricing, at: tuple[str, ...], machine: str, count: Count) -> Iterator[CostLine | NotPriced]:
    if _is_windows(item, at):
        raise CannotPrice("a Windows machine: the price book has Linux only")
    if item.get("plan") is not None:
        yield item.not_priced("the licence of its Marketplace image, which `plan` names", compute=True)
    region, group = place_of(item), (*at, "capacityReservation", "capacityReservationGroup", "id")
    purchase = purchase_of(item.get(*at, "priority"))
    stopped, reserved = virtual_machine_is_deallocated(item), item.get(*group) is not None
    if stopped:
        say_stopped(item, reserved=reserved)
    if not stopped or reserved:
        yield from machine_lines(item, machine, count, purchase, region=region, group=group, said="Linux")
    disks = (*at, "storageProfile")
    if item.get(*disks, "osDisk", "diffDiskSettings") is None:
        yield from or_named(item, _disk(item, (*disks, "osDisk"), count, region), what="system disk")
    for index in range(len(item.items(*disks, "dataDisks"))):
        lines = _disk(item, (*disks, "dataDisks", index), count, region)
        yield from or_named(item, lines, what=f"data disk {index + 1}")


def _is_windows(item: Pricing, at: tuple[str, ...]) -> bool:
    """By its profile, its system disk or its image (Azure REST API, OSDisk.osType, ImageReference)."""
    inputs = item.resource.inputs
    image = (read(inputs, *at, "storageProfile", "imageReference", key) for key in ("publisher", "offer"))
    return (
        item.get(*at, "osProfile", "windowsConfiguration") is not None
        or read(inputs, *at, "storageProfile", "osDisk", "osType") == "Windows"
        or any("windows" in str(text).lower() for text in image)
    )


def _disk(item: Pricing, at: tuple[str | int, ...], count: Count, region: str) -> Iterator[CostLine]:
    if item.get(*at, "createOption") == "Attach":
        return  # a disk of its own
    if item.get(*at, "diskSizeGB") is None:
        raise CannotPrice("its size is that of its image, which a plan does not show; set diskSizeGB")
    sku = item.text(*at, "managedDisk", "storageAccountType")
    what = "system disks" if at[-1] == "osDisk" else "data disks"
    yield from azure_disk_lines(item, sku, item.number(*at, "diskSizeGB"), count, what=what, region=region)
