"""Machines of EC2 that may be of several types, and their detailed monitoring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpucluster.core.program.values import is_object
from gpucluster.cost.handlers.open_reservations import machine_lines
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number

_ONE: Final = Decimal(1)


@dataclass(frozen=True)
class MachineType:
    """A type that a group may take, and the units of its size that one machine counts for."""

    name: str
    weight: Decimal = _ONE


def types_in(item: Pricing, path: tuple[str | int, ...], template: Pricing | None) -> Sequence[MachineType]:
    """The types of a list of overrides; of one without a type, that of the template. Raises CannotPrice for a choice by
    attributes, which may be any machine.
    """
    default = None if template is None else template.get("instanceType")
    found: list[MachineType] = []
    for index in range(len(item.items(*path))):
        at = (*path, index)
        if item.get(*at, "instanceRequirements") is not None:
            raise CannotPrice("instanceRequirements: attributes choose the machine type, which no plan shows")
        own = default is None or item.get(*at, "instanceType") is not None
        name = item.text(*at, "instanceType") if own else str(default)
        weight = item.get(*at, "weightedCapacity")
        found.append(MachineType(name, _ONE if weight is None else as_number(weight, "weightedCapacity")))
    return found


def machines_for(units: Count, type_: MachineType) -> Count:
    """Machines of a type for so many units of capacity, rounded up."""
    if type_.weight == _ONE:
        return units

    def of(number: Decimal) -> Decimal:
        return (number / type_.weight).to_integral_value(ROUND_CEILING)

    return Count(
        of(units.expected), of(units.floor), units.ceiling if isinstance(units.ceiling, str) else of(units.ceiling)
    )


def lines_of_types(
    item: Pricing,
    types: Sequence[MachineType],
    units: Count,
    purchase: str,
    *,
    region: str,
    note: str = "Linux",
) -> Iterator[CostLine | NotPriced]:
    """Machines of the first type as expected; at the least all of the cheapest type, at the most of the dearest.

    Raises CannotPrice without a price. Other types without a price are named.
    """
    first = types[0]
    if len({type_.name for type_ in types}) == 1:
        yield from machine_lines(item, first.name, machines_for(units, first), purchase, region=region, assumption=note)
        return
    prices_of = {type_: item.find(type_.name, "instance-hour", purchase, region=region) for type_ in types}
    usd = {type_: found.usd / type_.weight for type_, found in prices_of.items()
           if isinstance(found, Price) and found.instead_of is None}  # fmt: skip
    note = "; ".join(filter(None, [note, f"priced as {first.name}, the first of {len(types)} machine types"]))
    least = most = first
    if first in usd:
        least, most = min(usd, key=usd.__getitem__), max(usd, key=usd.__getitem__)
        if least != most:
            note += f", at the least all {least.name}, at the most all {most.name}"
    for line in machine_lines(item, first.name, machines_for(units, first), purchase, region=region, assumption=note):
        if isinstance(line, CostLine) and line.unit_price and first in usd:
            ceiling = line.ceiling if isinstance(line.ceiling, str) else line.ceiling * usd[most] / usd[first]
            yield replace(line, floor=line.floor * usd[least] / usd[first], ceiling=ceiling)
        else:
            yield line
    for type_ in types:
        if type_ not in usd and type_ != first:
            yield item.not_priced(
                f"{type_.name}, which it may take, too: no {purchase} price in {region}", compute=True
            )


_METRICS: Final = 7
"""Metrics of a machine under detailed monitoring (CloudWatch price page, Amazon EC2 example)."""


def monitoring_lines(
    item: Pricing, count: Count, *, region: str, template: Pricing | None = None
) -> Iterator[CostLine]:
    """Metrics of machines under detailed monitoring, as an instance sets it, else a launch template."""
    found = [None if one is None else _monitored(one) for one in (item, template)]
    if not next((one for one in found if one is not None), False):
        return
    metrics = count.times(Decimal(_METRICS))
    yield item.line(
        "Detailed monitoring",
        metrics.expected,
        item.price("cloudwatch-metric", "month", region=region),
        basis=f"{plain(count.expected)} x {_METRICS} metrics",
        floor=metrics.floor,
        ceiling=metrics.ceiling,
    )


def _monitored(item: Pricing) -> bool | None:
    set_ = item.get("monitoring")
    if is_object(set_):
        set_ = item.get("monitoring", "enabled")
    return None if set_ is None else set_ not in (False, "false")
