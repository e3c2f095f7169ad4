"""Columns of FOCUS 1.2 (FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, specification/columns at v1.2, 7296e31), 1.3 and
1.4 (specification/datasets/cost_and_usage, f1eeb30), a row for each line of the estimate, for the month in which the
price book is read.

A month of the estimate has 730 hours. Our own columns begin with `x_` and mark the data as an estimate; unpriced items
have no row, since the specification has no form for them, and `x_Complete` is false.
"""

from __future__ import annotations

import csv
import datetime
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.documents.csv import cell, csv_text
from gpucluster.core.program.resources import Resources, urn_type
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.labels import all_labels
from gpucluster.cost.prices import Price, PriceBook
from gpucluster.cost.pricing.model import CostLine

_CATEGORIES: Final = {"on_demand": "Standard", "spot": "Dynamic", "reserved": "Committed", "savings_plan": "Committed",
                            "instance_savings_plan": "Committed"}  # fmt: skip
"""PricingCategory; blocks and similar options have their own pricing model, which is `Other`."""

FORMS: Final = {"focus": "1.2", "focus-1.3": "1.3", "focus-1.4": "1.4"}
"""Output format -> version."""

_REMOVED: Final = ("ProviderName", "PublisherName")
"""Columns that 1.3 deprecates and 1.4 removes, for ServiceProviderName and HostProviderName."""

_COUNTED: Final = re.compile(r"(\d+)([KMB]?)-(\w+)")
_THOUSANDS: Final = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9}


@dataclass(frozen=True)
class _Service:
    name: str
    category: str
    subcategory: str


def as_focus(estimate: Estimate, resources: Resources, book: PriceBook, version: str = "1.2") -> str:
    """The rows with a header. Numbers are exact: quantity x price is the cost, which is not rounded to the cent."""
    month = _month(book.today)
    rows = [_in(version, line, _row(line, estimate, resources, book, month)) for line in estimate.lines]
    columns = [*rows[0]] if rows else ["BilledCost"]
    return csv_text([columns, *([*row.values()] for row in rows)])


def _in(version: str, line: CostLine, row: dict[str, str]) -> dict[str, str]:
    """A row of 1.2 in another version, its columns in order, our own last."""
    if version == "1.2":
        return row
    provider = row["ProviderName"]
    row |= {"ContractApplied": _applied(line), "HostProviderName": provider, "ServiceProviderName": provider}
    kept = [name for name in row if not (version == "1.4" and name in _REMOVED)]
    return {name: row[name] for name in sorted(kept, key=lambda name: "x_" if name.startswith("x_") else name)}


def _applied(line: CostLine) -> str:
    """The reservation or block as a contract of one commitment, by the hours that it applies to."""
    if not line.reservation:
        return ""
    element = {
        "ContractId": line.reservation,
        "ContractCommitmentId": line.reservation,
        "ContractCommitmentAppliedQuantity": float(line.quantity),
        "ContractCommitmentAppliedUnit": unit_of(line.unit),
    }
    return json.dumps({"Elements": [element]})


def _row(
    line: CostLine, estimate: Estimate, resources: Resources, book: PriceBook, month: tuple[str, str]
) -> dict[str, str]:
    cost, price, quantity = (
        f"{value:f}" for value in (line.quantity * line.unit_price, line.unit_price, line.quantity)
    )
    cloud = clouds()[line.provider].title if line.provider in clouds() else line.provider
    service, unit = _service(line, book), unit_of(line.unit)
    ceiling = line.ceiling if isinstance(line.ceiling, str) else f"{line.ceiling * line.unit_price:f}"
    bought = "/".join(filter(None, (line.purchase, line.term)))
    return {
        "BilledCost": cost,
        "BillingAccountId": f"estimate:{resources.stack or 'stack'}",
        "BillingAccountName": f"Estimate of {cell(resources.stack or 'a stack')}",
        "BillingCurrency": "USD",
        "BillingPeriodEnd": month[1],
        "BillingPeriodStart": month[0],
        "ChargeCategory": "Usage",
        "ChargeClass": "",
        "ChargeDescription": cell(line.name),
        "ChargeFrequency": "Usage-Based",
        "ChargePeriodEnd": month[1],
        "ChargePeriodStart": month[0],
        "ConsumedQuantity": quantity,
        "ConsumedUnit": unit,
        "ContractedCost": cost,
        "ContractedUnitPrice": price,
        "EffectiveCost": cost,
        "InvoiceIssuerName": cloud,
        "ListCost": cost,
        "ListUnitPrice": price,
        "PricingCategory": _CATEGORIES.get(line.purchase, "Other"),
        "PricingQuantity": quantity,
        "PricingUnit": unit,
        "ProviderName": cloud,
        "PublisherName": cloud,
        "RegionId": line.in_region,
        "RegionName": line.in_region,
        "ResourceId": line.urn,
        "ResourceName": cell(estimate.names.get(line.urn, "")),
        "ResourceType": urn_type(line.urn),
        "ServiceCategory": service.category,
        "ServiceName": service.name,
        "ServiceSubcategory": service.subcategory,
        "SkuId": f"{line.provider}/{line.sku}",
        "SkuMeter": line.sku,
        "SkuPriceId": f"{line.provider}/{line.region}/{line.sku}/{line.unit}/{bought}",
        "Tags": json.dumps(all_labels(resources.get(line.urn), resources), sort_keys=True),
        "x_Estimate": "true",
        "x_Complete": "true" if estimate.complete else "false",
        "x_Part": cell(line.part),
        "x_FloorCost": f"{line.floor * line.unit_price:f}",
        "x_CeilingCost": ceiling,
        "x_Purchase": bought,
        "x_Spend": line.spend,
        "x_Assumption": cell(line.assumption),
        "x_PriceSource": cell(line.source),
        "x_PriceAsOf": line.as_of,
        "x_PriceConfidence": line.confidence,
    }


def unit_of(unit: str) -> str:
    """A unit in the specification's attribute Unit Format: `Instance-Hours`, `1000000 Requests`."""
    if counted := _COUNTED.fullmatch(unit):
        number, thousands, what = counted.groups()
        return f"{int(number) * _THOUSANDS[thousands]} {_noun(what)}"
    what, dash, time = unit.rpartition("-")
    if not dash:
        return unit if unit[0].isupper() else f"{_noun(unit)}s"
    return f"{_noun(what)}-{_noun(time)}s"


def _noun(word: str) -> str:
    return f"{word[0].upper()}{word[1:]}"


def _month(today: datetime.date) -> tuple[str, str]:
    """The first days of a date's month and of the next one."""
    first = today.replace(day=1)
    after = (first + datetime.timedelta(days=31)).replace(day=1)
    return f"{first}T00:00:00Z", f"{after}T00:00:00Z"


def _service(line: CostLine, book: PriceBook) -> _Service:
    """By the kind of the book's row; a user's own price may have no kind."""
    found = book.lookup(line.provider, line.region, line.sku, line.purchase, line.term, unit=line.unit)
    kind = found.row.kind if isinstance(found, Price) else ""
    kind = kind or next((row.kind for row in book.rows(line.provider) if row.sku == line.sku), "")
    return _services().get(kind, _Service("Other", "Other", "Other (Other)"))


@cache
def _services() -> Mapping[str, _Service]:
    """Kind of a price row -> FOCUS service."""
    with Path(__file__).with_name("services.csv").open(newline="", encoding="utf-8") as file:
        return {
            row["kind"]: _Service(row["service"], row["category"], row["subcategory"]) for row in csv.DictReader(file)
        }
