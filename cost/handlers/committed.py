"""Machines in capacity that is bought separately: its cost is counted once, and so is each machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced, Spend, cents
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.pricing import CannotPrice, Pricing


def inside(
    item: Pricing,
    machine: str,
    count: Decimal,
    where: str,
    said: str,
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
        source=said,
        as_of="",
        confidence="high",
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption=said,
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
    said: str,
    *,
    held: Decimal | None = None,
    used: Decimal | None = None,
    upfront_days: Decimal = Decimal(0),
    region: str | None = None,
) -> Iterator[CostLine | NotPriced]:
    """Capacity with the id `where`, bought elsewhere, in which `count` machines of this resource run.

    It is billed for the machines it holds, whether used or not. held: as many, `count` where a plan does not tell.
    used: those that something in the stack takes, by default `count`. Without a price, or where how many it holds is
    not known at all, that is named: what the machines cost is then in no line.
    """
    held = count if held is None else held
    if isinstance(found, NotKnown) or found.instead_of is not None or not held:
        yield inside(item, machine, count, where, said, spend="committed-elsewhere", region=region)
    if isinstance(found, NotKnown) or not held:
        yield _not_priced(item, found, where)
        return
    each = HOURS_PER_MONTH
    name, basis = f"{plain(held)} x {machine} in reservation {where}", f"{plain(held)} x {each} h"
    line = item.line(name, held * each, found, basis=basis, assumption=said)
    yield replace(
        line,
        spend="committed-elsewhere",
        idle=(held - (count if used is None else used)) * each,
        upfront=cents(held * found.usd * 24 * upfront_days),
    )


def _not_priced(item: Pricing, found: Price | NotKnown, where: str) -> NotPriced:
    what = f"the cost of {where} where it is bought"
    if isinstance(found, NotKnown):
        return item.not_priced(CannotPrice(f"{what}: {found.reason}", found.row), compute=True)
    why = "nothing runs in it yet, and its number of machines is unknown"
    return item.not_priced(f"{what}: {why}", compute=True)
