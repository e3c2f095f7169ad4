"""The line of machines that capacity bought apart from them bills, so never a second time here."""

from __future__ import annotations

from decimal import Decimal

from cost.handlers.whole_machines import plain
from cost.model import HOURS_PER_MONTH, CostLine, cents
from cost.prices import NotKnown, Price
from cost.subject import Subject

__all__ = ["committed"]


def committed(
    ask: Subject,
    machine: str,
    count: Decimal,
    where: str,
    said: str,
    *,
    price: Price | NotKnown | None = None,
    billed: Decimal = Decimal(0),
    upfront_days: Decimal = Decimal(0),
    region: str | None = None,
) -> CostLine:
    """A line without new spend. `billed` machines are what the capacity bought elsewhere costs at its price."""
    hours, hourly, source = count * HOURS_PER_MONTH, Decimal(0), said
    if isinstance(price, Price):
        hourly, row = billed * price.usd, price.row
        source = f"{said}; ${price.usd.normalize():f} per instance-hour: {row.source}, {row.as_of} ({price.confidence})"
    return CostLine(
        urn=ask.urn,
        part=ask.part,
        name=f"{plain(count)} x {machine} in reservation {where}",
        quantity=hours,
        unit="instance-hour",
        unit_price=Decimal(0),
        region=region or ask.region,
        purchase="reservation",
        source=source,
        as_of="",
        confidence="high",
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption=said,
        floor=hours,
        ceiling=hours,
        spend="committed-elsewhere",
        committed_monthly=cents(hourly * HOURS_PER_MONTH),
        committed_upfront=cents(hourly * 24 * upfront_days),
        provider=ask.provider,
        sku=machine,
    )
