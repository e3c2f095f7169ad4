"""The tables of this folder: columns of the two bill formats, line types of AWS, and units.

Columns: FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec specification/columns at v1.0 (f7f58a0), v1.1 (6108d40) and v1.2
(7296e31), and for 1.3 and 1.4 specification/datasets/cost_and_usage (f1eeb30): 1.3 adds ServiceProviderName, 1.4
removes ProviderName and PublisherName. With them those of AWS (docs.aws.amazon.com, Data Exports user guide, FOCUS 1.2
with AWS columns) and of Microsoft (Cost Management, FOCUS dataset schema), which begin with `x_`; CUR 2.0: Data Exports
user guide, table dictionary of `COST_AND_USAGE_REPORT`. Line types, and the column of each one's amortised cost: the
same dictionary, line item, reservation and savings plan columns. Units: FOCUS 1.2, attribute Unit Format, and what AWS
(`Hrs`, `GB-Mo`), Azure (`1 GB/Month`) and Google Cloud (`GiBy.mo`) write instead; the clouds write GB but bill GiB.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final, Literal

from gpucluster.errors import InputError

Form = Literal["focus", "cur2"]

CATEGORIES: Final = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")
"""Allowed values of ChargeCategory (FOCUS 1.2, specification/columns/chargecategory.md)."""

_NUMBERED: Final = re.compile(r"(?P<number>\d+(?:[.,]\d+)*)(?P<thousands>[KMB]?) +(?P<unit>\S.*)")
_THOUSANDS: Final = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9}


@dataclass(frozen=True)
class Column:
    """A field of a charge. names: its columns in the format; the first with a value counts."""

    field: str
    type: str
    names: Sequence[str]
    needed: bool


@dataclass(frozen=True)
class LineType:
    """A line type of AWS. category: in FOCUS. effective: field of its amortised cost, empty for none. counts: whether
    its quantity is usage; the quantity of a discount is not.
    """

    category: str
    effective: str
    counts: bool


@cache
def columns(form: Form) -> tuple[Column, ...]:
    """The fields of a bill format."""
    return tuple(
        Column(row["field"], row["type"], row[form].split("|") if row[form] else (), bool(row["needed"] and row[form]))
        for row in _rows("columns.csv")
    )


@cache
def line_types() -> Mapping[str, LineType]:
    """AWS line types by name."""
    return {
        row["type"]: LineType(row["category"], row["effective"], bool(row["counts"])) for row in _rows("line_types.csv")
    }


def measure(unit: str) -> str:
    """The dimension of a unit, such as `hour`; the unit itself if the table does not contain it."""
    return _unit(unit)[0]


def factor(billed: str, planned: str) -> Decimal | None:
    """Units of the plan per unit of the bill; None if their dimensions differ or are unknown."""
    billed_unit, planned_unit = _unit(billed), _unit(planned)
    return billed_unit[1] / planned_unit[1] if billed_unit[0] == planned_unit[0] and billed_unit[0] else None


@cache
def _unit(text: str) -> tuple[str, Decimal]:
    known, unit, times = _units(), text.strip(), Decimal(1)
    if unit.lower() not in known and (found := _NUMBERED.fullmatch(unit)):
        unit, times = found["unit"], Decimal(found["number"].replace(",", "")) * _THOUSANDS[found["thousands"]]
    of, factor_of = known.get(unit.lower(), (unit, Decimal(1)))
    return of, factor_of * times


@cache
def _units() -> Mapping[str, tuple[str, Decimal]]:
    return {row["unit"]: (row["measure"], Decimal(row["factor"])) for row in _rows("units.csv")}


def _rows(name: str) -> list[dict[str, str]]:
    with Path(__file__).with_name(name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


USD: Final = "USD"
BLOCK_FEE: Final = "CapacityBlockFee:"
"""Part of the usage type of a capacity block's fee; the machine type follows."""


class BadBill(InputError):
    """A bill cannot be used; one line for each problem."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Charge:
    """Sum of rows of a bill that differ only in time and amount.

    category: `Usage`, `Purchase`, `Tax`, `Credit`, `Adjustment`, or, on AWS only, `Refund`.
    correction: whether they correct an earlier bill.
    quantity: priced units; None if no row has any.
    billed, effective: the invoiced amount, and the amount with purchases spread over what they cover.
    reservation, contract: the capacity reservation it used, and the contract commitments applied to it, as JSON.
    start, end: from the beginning of the first row to the end of the last, in UTC.
    """

    provider: str
    account: str
    category: str
    correction: bool
    currency: str
    unit: str
    region: str
    service: str
    meter: str
    description: str
    details: str
    commitment: str
    reservation: str
    contract: str
    resource: str
    resource_name: str
    tags: str
    rows: int
    quantity: Decimal | None
    billed: Decimal
    effective: Decimal
    start: datetime
    end: datetime


@dataclass(frozen=True)
class Contract:
    """A contract commitment: when it applies, in UTC, and its cost in USD, None if it has none in USD."""

    id: str
    start: datetime
    end: datetime
    cost: Decimal | None


@dataclass(frozen=True)
class Rest:
    """Other amounts on the bill, by category and currency."""

    category: str
    currency: str
    rows: int
    billed: Decimal
    effective: Decimal


@dataclass(frozen=True, kw_only=True)
class Read:
    """The contents of bills.

    charges: those that may belong to the stack. rest: all others. faults: unreadable rows and files, one line each.
    repeated: rows omitted because a later file has them, too. changed: those of them with other amounts there.
    contracts: of files with contract commitments.
    """

    charges: tuple[Charge, ...]
    rest: tuple[Rest, ...]
    rows: int
    faults: tuple[str, ...]
    repeated: int
    changed: int
    contracts: tuple[Contract, ...] = ()
