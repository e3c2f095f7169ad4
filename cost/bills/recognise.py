"""Matches a charge to a line of a plan, by the terms of the cloud that made the bill.

The words are those by which `gpucluster cost prices refresh` asks the clouds' price lists: usage types of AWS, meters
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
"""What usage types of KMS and others begin with, where those of EC2 have `USE1-` or nothing."""

_FIELDS: Final = ("usagetype", "metername", "description")
"""Fields of price lists that stand in bills as well."""


def has_words(provider: str, sku: str, unit: str) -> bool:
    """Whether it is known how the cloud calls it."""
    return unit == "instance-hour" or bool(_parts(provider, sku, unit))


def count_of(charge: Charge, provider: str, sku: str, unit: str) -> Decimal | None:
    """How many units of what is charged make up one of ours: None where it is something else, 0 where the charge is a
    part of it that is not counted, such as the memory of a machine beside its GPUs.
    """
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
    """A machine type as bills write it: Azure's meters have its name without the beginning, and spaces."""
    names = {sku, sku.removeprefix("Standard_").replace("_", " ")}
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w.-])")


@cache
def _parts(provider: str, sku: str, unit: str) -> Sequence[Sequence[Part]]:
    """What makes up the price of a thing, for each way to buy it, where a bill can tell."""
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
