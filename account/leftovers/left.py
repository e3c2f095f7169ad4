"""Leftovers, their known cost per day by the price book, and their removal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.account.leftovers.kinds import Thing, kind_of, removal
from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.estimate import Estimate, estimate
from gpucluster.cost.model import DAY, cents
from gpucluster.cost.money import money
from gpucluster.cost.places import regions_in_use
from gpucluster.program.resources import Resource, Resources


@dataclass(frozen=True, kw_only=True)
class Left:
    """kind: in the cloud's terms, or Pulumi's type. id: its ARN or id. daily: known USD per day, None if nothing is
    known. cost: the same in words, with usage-based and unpriced items. remove: a command, or empty.
    """

    kind: str
    id: str
    daily: Decimal | None
    cost: str
    remove: str


_CARRIERS: Final = frozenset({"aws:ec2/internetGateway:InternetGateway", "aws:ec2/vpc:Vpc"})
"""Resources billed only for traffic, which ends with the machines."""


def left_of_things(things: Sequence[Thing]) -> list[Left]:
    """Leftovers from an inventory: prices by a size that it does not contain are unknown."""
    found: list[Left] = []
    for thing in things:
        type_ = kind_of(thing).type
        package = type_.partition(":")[0]
        urn = f"urn:pulumi:::::{type_}::{thing.id}"
        resource = Resource(urn=urn, type=type_, name=thing.id, inputs=thing.inputs)
        regions = {package: thing.region} if thing.region else {}
        priced = estimate(Resources([resource], default_regions=regions)) if type_ else None
        daily, cost = _cost(priced, urn, type_)
        found.append(Left(kind=thing.kind, id=thing.whole, daily=daily, cost=cost, remove=removal(thing)))
    return _dearest_first(found)


def left_of(resources: Resources, removals: dict[str, str]) -> list[Left]:
    """Leftovers from complete resources. removals: URN -> the command."""
    priced = estimate(resources, None, Assumptions(regions=regions_in_use()))
    found: list[Left] = []
    for one in resources:
        daily, cost = _cost(priced, one.urn, one.type)
        id_ = str(one.outputs.get("id") or one.name)
        found.append(Left(kind=one.type, id=id_, daily=daily, cost=cost, remove=removals.get(one.urn, "")))
    return _dearest_first(found)


def _dearest_first(found: list[Left]) -> list[Left]:
    """Unknown costs are before free items."""
    return sorted(found, key=lambda one: (one.daily is not None and not one.daily, -(one.daily or 0), one.kind, one.id))


def _cost(priced: Estimate | None, urn: str, type_: str) -> tuple[Decimal | None, str]:
    if priced is None:
        return None, "unknown: its kind has no price of its own"
    lines = [line for line in priced.lines if line.urn == urn]
    missing = [item.reason for item in priced.not_priced if item.urn == urn]
    by_usage = any(line.by_usage for line in lines)
    month = sum((line.monthly for line in lines), Decimal(0))
    daily = cents(month * DAY)
    if missing:
        known = f"{money(daily)} a day and " if month else ""
        return (daily if month else None), f"{known}unknown: {missing[0]}"
    if not month and by_usage and type_ not in _CARRIERS:
        return None, "unknown: billed by stored or ingested data"
    return daily, f"{money(daily)} a day{', and by use' if by_usage else ''}" if month else "no charge"
