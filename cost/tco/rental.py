"""Owning compared with renting from a cloud: the break-even use against hourly prices, and the difference of a year."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.purchasing import Options
from gpucluster.cost.tco.own import HOURS_PER_YEAR, Own

_STEP: Final = Decimal("0.05")


@dataclass(frozen=True, slots=True)
class Point:
    """At a utilisation: USD per productive GPU-hour of own nodes, and of the cloud's if paid by use."""

    utilisation: Decimal
    own: Decimal
    cloud: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Against:
    """One price of a cloud, USD per GPU-hour. idle_too: whether it is paid for every hour, used or not.

    break_even: utilisation above which owning costs less than paying by use, None if it never does, or for a price
    that is paid when idle too: the two differ by `yearly` at any utilisation, except for electricity.
    yearly: USD per year that owning saves at the utilisation of the inputs, negative if it costs more.
    curve: for a price that is paid by use.
    """

    name: str
    rate: Decimal
    idle_too: bool
    break_even: Decimal | None
    yearly: Decimal
    curve: tuple[Point, ...] = ()


def against(own: Own, name: str, rate: Decimal, *, idle_too: bool) -> Against:
    """Owning against a cloud's price."""
    if idle_too:
        paid = rate * own.gpus * HOURS_PER_YEAR
        return Against(name=name, rate=rate, idle_too=True, break_even=None, yearly=paid - own.annual)
    return Against(
        name=name,
        rate=rate,
        idle_too=False,
        break_even=_break_even(own, rate),
        yearly=rate * own.productive_gpu_hours - own.annual,
        curve=curve(own, rate),
    )


def _break_even(own: Own, rate: Decimal) -> Decimal | None:
    """Solution of fixed + per use x u = rate x available hours x u; None above 100 %."""
    saved = rate * own.available_gpu_hours - own.per_use
    if saved <= 0 or own.fixed > saved:
        return None
    return own.fixed / saved


def curve(own: Own, rate: Decimal) -> tuple[Point, ...]:
    """The price of a productive GPU-hour from 5 % to 100 % of use."""
    steps = [_STEP * number for number in range(1, int(1 / _STEP) + 1)]
    return tuple(Point(share, own.per_gpu_hour_at(share), rate) for share in steps)


def inputs_of(options: Options) -> dict[str, Decimal]:
    """The co-located nodes of a stack, including spares, so that as many are owned as are compared.

    Empty if it has none, or if their numbers of GPUs differ.
    """
    gangs = [found.pool for found in options.pools if found.pool.gang]
    gpus = {machines()[pool.machine].gpus for pool in gangs}
    nodes = sum((pool.count.expected for pool in gangs), Decimal(0))
    if len(gpus) != 1 or not nodes or nodes % 1:
        return {}
    return {"nodes": nodes, "gpus_per_node": Decimal(gpus.pop()), "spare_share": Decimal(0)}


def rental_by_options(own: Own, options: Options) -> Iterator[Against]:
    """Owning against each priced purchase option of the co-located machines, machines only, second opinions marked."""
    for found in options.pools:
        if not found.pool.gang:
            continue
        gpus = machines()[found.pool.machine].gpus
        for option in found.options:
            marked = "" if option.rate.rankable else " ~"
            name = f"{found.pool.machine} {option.way.words}{marked}"
            idle_too = option.way.discount or option.way.by_the_day
            yield against(own, name, option.rate.usd / gpus, idle_too=idle_too)
