"""Matches a charge to a line of a plan, by the terms of the cloud that issued the bill.

The terms are those that `gpucluster cost prices refresh` queries in the clouds' price lists: usage types of AWS, meters
of Azure, descriptions of Google Cloud.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import Final

from gpucluster.catalog.clouds import clouds
from gpucluster.cost.bills.charges import Charge
from gpucluster.cost.prices.live.queries import queries
from gpucluster.cost.prices.live.query import Condition, Part

_REGION: Final = re.compile(r"^[a-z]{2}-[a-z-]+-\d-")
"""Prefix of usage types of KMS and others; those of EC2 begin with `USE1-` or have no prefix."""

_RESERVED: Final = re.compile(r"^(?:[A-Z]{2,4}\d?-)?(?:Reservation|DedicatedRes):")
"""Usage types that state the hours of a capacity reservation at rate 0, beside the machines that are billed: BoxUsage
and UnusedBox (AWS Data Exports user guide, "Monitoring your On-Demand capacity reservations")."""

_FIELDS: Final = ("usagetype", "metername", "description")
"""Fields of price lists that bills contain as well."""


def has_words(provider: str, sku: str, unit: str) -> bool:
    """Whether the cloud's terms for it are known."""
    return unit == "instance-hour" or bool(_parts(provider, sku, unit))


def count_of(charge: Charge, provider: str, sku: str, unit: str) -> Decimal | None:
    """Charged units per unit of ours: None if it is another item, 0 if the charge is an uncounted part of it, such as
    the memory of a machine next to its GPUs.
    """
    if provider == "aws" and _RESERVED.match(charge.meter):
        machine = charge.meter.rpartition(":")[2]
        return Decimal(0) if (unit, machine) == ("instance-hour", sku) else None
    texts = tuple(filter(None, (charge.meter, _REGION.sub("", charge.meter), charge.description, charge.details)))
    if sku in texts:  # `gpucluster cost report --format focus`
        return Decimal(1)
    if unit == "instance-hour" and any(_machine(sku).search(text) for text in texts):
        return Decimal(1)
    for parts in _parts(provider, sku, unit):
        counted = min(parts, key=lambda part: part.count)
        for part in parts:
            if all(_holds(condition, texts) for condition in _said(part)):
                return part.count if part is counted else Decimal(0)
    return None


@cache
def _machine(sku: str) -> re.Pattern[str]:
    """A machine type as in bills: Azure's meters omit the prefix of its name and contain spaces."""
    names = {sku, sku.removeprefix("Standard_").replace("_", " ")}
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w.-])")


@cache
def _parts(provider: str, sku: str, unit: str) -> Sequence[Sequence[Part]]:
    """The parts of an item's price, for each purchase option that a bill can identify."""
    try:
        known = queries(provider) if provider in clouds() else ()  # no path comes from the text of a plan
    except FileNotFoundError:
        known = ()
    of_sku = [query for query in known if (query.sku, query.unit) == (sku, unit)]
    return tuple(query.parts for query in of_sku if all(map(_tells, query.parts)))


def _tells(part: Part) -> bool:
    return any(condition.how != "!~" for condition in _said(part))


def _said(part: Part) -> list[Condition]:
    return [condition for condition in part.conditions if condition.field in _FIELDS]


def _holds(condition: Condition, texts: Sequence[str]) -> bool:
    if condition.how == "==":
        return condition.value in texts
    found = any(_compiled(condition.value).fullmatch(text) for text in texts)
    return found == (condition.how == "=~")


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)
