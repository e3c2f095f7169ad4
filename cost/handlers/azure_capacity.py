"""Machines of Azure by the way they are bought: on demand, spot, under commitments, in reserved capacity."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from gpucluster.cost.handlers.azure_place import RESERVATION_GROUP, owner_of
from gpucluster.cost.handlers.committed import committed, inside
from gpucluster.cost.handlers.covered import Cover, bought
from gpucluster.cost.handlers.disks import optional_number
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.reserved_capacity import block_days
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.pricing import CannotPrice, Pricing, read
from gpucluster.program.resources import UNKNOWN, Resource

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
    said: str = "",
) -> Iterator[CostLine | NotPriced]:
    """Machines of one size, by the hour. group: path of the input that names a capacity reservation group."""
    target = _target(item, group, machine)
    if target is None:
        lines = bought(item, machine, count, purchase, _COVERS, region=region, autoscaled=count.varies, assumption=said)
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
    said = (
        f"{name} is not part of this stack: billed by its capacity reservations while they exist, used or not, at the "
        "machine's own rate; capacity bought as a block, by its fee, which is unknown here; its capacity beyond "
        "these machines is unknown"
    )
    yield from committed(item, machine, count, found, name, said, region=region)


def _block(
    item: Pricing, machine: str, count: Decimal, name: str, found: Price | NotKnown, block: Decimal, region: str
) -> Iterator[CostLine | NotPriced]:
    """A capacity block, whose machines and days are paid upfront, used or not (Azure compute API, ScheduleProfile)."""
    said = (
        f"{name} is a capacity block of {plain(block)} machines, not part of this stack: paid upfront, by its fee, "
        "which is unknown here and counted at the machine's own rate"
    )
    days = Decimal(0)
    if item.duration_days is not None:
        days = block_days(item.duration_days)
        said += f"; this trial uses {plain(days)} days of it"
    yield from committed(item, machine, count, found, name, said, held=block, upfront_days=days, region=region)
