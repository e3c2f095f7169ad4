"""Machines of Azure by the way they are bought: on demand, spot, under commitments, in reserved capacity."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost.handlers.azure_place import RESERVATION_GROUP, owner_of, place_of
from gpucluster.cost.handlers.azure_storage import azure_disk_lines
from gpucluster.cost.handlers.disks import optional_number
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import block_days, committed, inside
from gpucluster.cost.handlers.whole_machines import (
    Cover,
    bought,
    machine_price,
    or_named,
    plain,
    say_stopped,
    virtual_machine_is_deallocated,
)
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, read

CAPACITY: Final = "azure-native:compute:CapacityReservation"
BLOCK_NODES: Final = "gpucluster-block-nodes"
"""Tag of a node pool: machines of the capacity block that it is in."""

_COVERS: Final = tuple(
    Cover(f"{kind}_{term}_share", purchase, term, words)
    for kind, purchase, words in (
        ("reservation", "reserved", "a reservation"),
        ("savings_plan", "savings_plan", "a savings plan"),
    )
    for term in ("1y", "3y")
)


def purchase_of(priority: object) -> str:
    """How machines of a priority are paid for; a spot machine at the market's price, whatever limit is set."""
    return "spot" if priority == "Spot" else "on_demand"


def machine_lines(
    item: Pricing,
    machine: str,
    count: Count,
    purchase: str,
    *,
    region: str,
    group: tuple[str | int, ...],
    note: str = "",
) -> Iterator[CostLine | NotPriced]:
    """Machines of one size, by the hour. group: path of the input that names a capacity reservation group."""
    target = _target(item, group, machine)
    if target is None:
        lines = bought(item, machine, count, purchase, _COVERS, region=region, autoscaled=count.varies, assumption=note)
        yield from or_named(item, lines, compute=True)
    else:
        yield from _reserved(item, machine, count.expected, target, region)


def _target(item: Pricing, path: tuple[str | int, ...], machine: str) -> Resource | str | None:
    """The capacity that bills the machines: a reservation of this stack, the id of a group outside it, or None.

    A group bills nothing by itself, so machines in one without a reservation of their size are on demand.
    """
    found = item.resources.referred(item.resource, str(path[0]), RESERVATION_GROUP)
    if found is not None:
        return next(
            (entry for entry in _reservations(item, found) if read(entry.inputs, "sku", "name") == machine), None
        )
    named: Any = read(item.resource.inputs, *path)
    if named is UNKNOWN:
        raise CannotPrice(f"{'.'.join(map(str, path))} is not known before the update")
    return str(named) if named else None


def _reservations(item: Pricing, group: Resource) -> Iterator[Resource]:
    for entry in item.resources.of_type(CAPACITY):
        if owner_of(item.of(entry), RESERVATION_GROUP) is group:
            yield entry


def _reserved(
    item: Pricing, machine: str, count: Decimal, target: Resource | str, region: str
) -> Iterator[CostLine | NotPriced]:
    """Machines that their reservation bills, used or not (Azure Compute documentation, capacity reservations)."""
    if isinstance(target, Resource):
        yield inside(item, machine, count, target.name, f"billed by {target.name}, used or not", region=region)
        return
    name = target.rsplit("/", 1)[-1]
    found = item.find(machine, "instance-hour", region=region)
    block = optional_number(item, "tags", BLOCK_NODES)
    if block is not None:
        yield from _block(item, machine, count, name, found, max(block, count), region)
        return
    assumption = (
        f"{name} is not part of this stack: billed by its capacity reservations while they exist, used or not, at the "
        "machine's own rate; capacity bought as a block, by its fee, which is unknown here; its capacity beyond "
        "these machines is unknown"
    )
    yield from committed(item, machine, count, found, name, assumption, region=region)


def _block(
    item: Pricing, machine: str, count: Decimal, name: str, found: Price | NotKnown, block: Decimal, region: str
) -> Iterator[CostLine | NotPriced]:
    """A capacity block, whose machines and days are paid upfront, used or not (Azure compute API, ScheduleProfile)."""
    assumption = (
        f"{name} is a capacity block of {plain(block)} machines, not part of this stack: paid upfront, by its fee, "
        "which is unknown here and counted at the machine's own rate"
    )
    days = Decimal(0)
    if item.duration_days is not None:
        days = block_days(item.duration_days)
        assumption += f"; this trial uses {plain(days)} days of it"
    yield from committed(item, machine, count, found, name, assumption, held=block, upfront_days=days, region=region)


@prices(CAPACITY)
def capacity_reservation(item: Pricing) -> Iterator[CostLine]:
    """Reserved machines at their own rate, used or not (Azure Compute documentation, capacity reservation overview)."""
    machine, count = item.text("sku", "name"), item.number("sku", "capacity")
    yield item.line(
        f"{plain(count)} x {machine} reserved, on demand",
        count * HOURS_PER_MONTH,
        machine_price(item, machine, "on_demand", region=place_of(item)),
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption="a reservation is billed whether used or not",
    )


@prices("azure-native:compute:VirtualMachine")
def virtual_machine(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month and its disks (Linux Virtual Machines and Managed Disks price pages)."""
    yield from _machines(item, (), item.text("hardwareProfile", "vmSize"), Count.fixed(Decimal(1)))


@prices("azure-native:compute:VirtualMachineScaleSet")
def scale_set(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`sku.capacity` machines all month and their disks; what an autoscale setting adds is not known here."""
    if item.get("skuProfile") is not None:
        raise CannotPrice("skuProfile: Azure chooses among several sizes, which no plan shows")
    capacity = Count.fixed(item.number("sku", "capacity"))
    yield from _machines(item, ("virtualMachineProfile",), item.text("sku", "name"), capacity)


def _mixed(item: Pricing, count: Count, purchase: str) -> Iterator[tuple[Count, str]]:
    """(machines, how they are bought): a mix in a Spot scale set has regular machines up to a base, and a share of the
    rest (Virtual Machine Scale Sets documentation, Spot Priority Mix).
    """
    if purchase != "spot" or item.get(_MIX) is None:
        yield count, purchase
        return
    base = min(item.number(_MIX, "baseRegularPriorityCount", default=0), count.expected)
    share = item.number(_MIX, "regularPriorityPercentageAboveBase", default=0) / 100
    regular = (base + (count.expected - base) * share).to_integral_value(ROUND_CEILING)
    for number, bought_as in ((regular, "on_demand"), (count.expected - regular, "spot")):
        if number:
            yield Count.fixed(number), bought_as


_MIX: Final = "priorityMixPolicy"


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
        for number, bought_as in _mixed(item, count, purchase):
            yield from machine_lines(item, machine, number, bought_as, region=region, group=group, note="Linux")
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
        return  # a separate disk
    if item.get(*at, "diskSizeGB") is None:
        raise CannotPrice("its size is that of its image, which a plan does not show; set diskSizeGB")
    sku = item.text(*at, "managedDisk", "storageAccountType")
    what = "system disks" if at[-1] == "osDisk" else "data disks"
    yield from azure_disk_lines(item, sku, item.number(*at, "diskSizeGB"), count, what=what, region=region)
