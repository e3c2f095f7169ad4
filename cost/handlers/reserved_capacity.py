"""Machines in capacity that is bought separately: its cost is counted once, and so is each machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, NotPriced, Spend, cents
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number, read

LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
RESERVATION: Final = "aws:ec2/capacityReservation:CapacityReservation"
_RESERVATIONS: Final = (RESERVATION, "aws:ec2/capacityBlockReservation:CapacityBlockReservation")


def reservation_of(item: Pricing) -> Resource | str | None:
    """The capacity that `ask` (a launch template or instance) targets.

    A resource of this stack, the id or ARN of one that is bought outside it, or None if it targets none.
    """
    target = read(item.resource.inputs, "capacityReservationSpecification", "capacityReservationTarget")
    named = [read(target, key) for key in ("capacityReservationId", "capacityReservationResourceGroupArn")]
    for type_ in _RESERVATIONS:
        found = item.resources.referred(item.resource, "capacityReservationSpecification", type_)
        if found is not None:
            return found
    for value in named:
        if value is UNKNOWN:
            raise CannotPrice("the capacity reservation it targets is not known before the update")
        if value:
            return str(value)
    return None


def inside(
    item: Pricing,
    machine: str,
    count: Decimal,
    where: str,
    assumption: str,
    *,
    spend: Spend = "new",
    region: str | None = None,
) -> CostLine:
    """Machines that another line pays for: that of the reservation `where`, or of who uses it first."""
    hours = count * HOURS_PER_MONTH
    return CostLine(
        urn=item.urn,
        part=item.part,
        name=f"{plain(count)} x {machine} in reservation {where}",
        quantity=hours,
        unit="instance-hour",
        unit_price=Decimal(0),
        region=region or item.region,
        purchase="reservation",
        source=assumption,
        as_of="",
        confidence="high",
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption=assumption,
        floor=hours,
        ceiling=hours,
        spend=spend,
        paid_by=where,
        provider=item.provider,
        sku=machine,
        running=item.assumptions.hours_per_month,
    )


def committed(
    item: Pricing,
    machine: str,
    count: Decimal,
    found: Price | NotKnown,
    where: str,
    assumption: str,
    *,
    held: Decimal | None = None,
    used: Decimal | None = None,
    upfront_days: Decimal = Decimal(0),
    region: str | None = None,
) -> Iterator[CostLine | NotPriced]:
    """Capacity with the id `where`, bought outside the stack, in which `count` machines of this resource run.

    It is billed for the machines it holds, whether used or not. held: as many, `count` where a plan does not tell.
    used: those that something in the stack takes, by default `count`. Without a price, or where how many it holds is
    not known at all, that is named: what the machines cost is then in no line.
    """
    held = count if held is None else held
    if isinstance(found, NotKnown) or found.instead_of is not None or not held:
        yield inside(item, machine, count, where, assumption, spend="committed-elsewhere", region=region)
    if isinstance(found, NotKnown) or not held:
        yield _not_priced(item, found, where)
        return
    each = HOURS_PER_MONTH
    name, basis = f"{plain(held)} x {machine} in reservation {where}", f"{plain(held)} x {each} h"
    line = item.line(name, held * each, found, basis=basis, assumption=assumption)
    yield replace(
        line,
        spend="committed-elsewhere",
        reservation=where,
        idle=(held - (count if used is None else used)) * each,
        upfront=cents(held * found.usd * 24 * upfront_days),
    )


def _not_priced(item: Pricing, found: Price | NotKnown, where: str) -> NotPriced:
    what = f"the cost of {where} where it is bought"
    if isinstance(found, NotKnown):
        return item.not_priced(CannotPrice(f"{what}: {found.reason}", found.row), compute=True)
    why = "nothing runs in it yet, and its number of machines is unknown"
    return item.not_priced(f"{what}: {why}", compute=True)


_SIZES: Final = (1, 2, 4, 8, 16, 32, 64)
"""Instances that a capacity block may have (EC2 user guide, Capacity Blocks for ML)."""


def block_size(machines: Decimal) -> Decimal:
    """Machines to pay for to have this many: the next size sold, above 64 in several blocks."""
    whole, rest = divmod(machines, _SIZES[-1])
    return whole * _SIZES[-1] + (next(Decimal(size) for size in _SIZES if size >= rest) if rest else Decimal(0))


def block_days(days: Decimal) -> Decimal:
    """Days to pay for to have this many: whole days up to 14, then whole weeks (EC2 user guide, Capacity Blocks)."""
    step = Decimal(1 if days <= 14 else 7)
    return (days / step).to_integral_value(ROUND_CEILING) * step


def reserved(
    item: Pricing, machine: str, count: Decimal, target: Resource | str, *, block: bool, region: str
) -> Iterator[CostLine | NotPriced]:
    """Machines that their reservation bills, used or not, so each of them once.

    `target` is a resource of this stack, which has its lines, or the id of capacity bought outside it, which
    costs its list price: by the hour for a reservation, upfront for a capacity block.
    """
    if isinstance(target, Resource):
        yield inside(item, machine, count, target.name, f"billed by {target.name}, used or not")
        return
    if not block:
        note = (
            f"{target} is not part of this stack: billed by its reservation, hour by hour at the on-demand rate "
            "while it exists, used or not; its capacity beyond these machines is unknown"
        )
        found = item.find(machine, "instance-hour", region=region)
        yield from committed(item, machine, count, found, target, note)
        return
    users = sorted(_users(item, target))
    if users and users[0][0] != item.urn:
        note = f"{target} is one capacity block for several node groups or machines: its fee is counted once"
        yield inside(item, machine, count, target, note, spend="committed-elsewhere")
        return
    together = sum((number for _, number in users), Decimal(0)) or count
    size = block_size(together)
    found = item.find(machine, "instance-hour", "capacity_block", region=region)
    note = f"{target} is a capacity block, not part of this stack: paid upfront, by its fee"
    if size != together:
        note += f"; sold by {', '.join(map(str, _SIZES))} instances, so {plain(together)} nodes need a block of {size}"
    days = Decimal(0)
    if item.duration_days is None:
        note += "; no component declares for how many days"
    else:
        days = block_days(item.duration_days)
        note += f"; this trial uses {plain(days)} days of it"
    yield from committed(item, machine, count, found, target, note, held=size, used=together, upfront_days=days)


def _users(item: Pricing, target: str) -> Iterator[tuple[str, Decimal]]:
    """(URN, machines at the most) of everything in the stack that runs inside the capacity with this id.

    A node group is kept at 0 until its block starts (EKS user guide, capacity blocks), so its maximum counts.
    """
    for group in item.resources.of_type("aws:eks/nodeGroup:NodeGroup"):
        template = item.resources.referred(group, "launchTemplate", LAUNCH_TEMPLATE)
        if template is not None and _targets(item.of(template), target):
            yield group.urn, max(_number(group, "desiredSize"), _number(group, "maxSize"))
    for machine in item.resources.of_type("aws:ec2/instance:Instance"):
        if _targets(item.of(machine), target):
            yield machine.urn, Decimal(1)


def _targets(item: Pricing, target: str) -> bool:
    try:
        return reservation_of(item) == target
    except CannotPrice:  # it is named with its own resource
        return False


def _number(group: Resource, key: str) -> Decimal:
    try:
        return as_number(read(group.inputs, "scalingConfig", key), key)
    except CannotPrice:  # it is named with its own resource
        return Decimal(0)
