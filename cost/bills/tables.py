"""The tables of this folder: columns of the two forms of bills, line types of AWS, and units.

Columns: FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec specification/columns at v1.0 (f7f58a0), v1.1 (6108d40) and v1.2
(7296e31), with those of AWS (docs.aws.amazon.com, Data Exports user guide, FOCUS 1.2 with AWS columns) and of Microsoft
(Cost Management, FOCUS dataset schema), which begin with `x_`; CUR 2.0: Data Exports user guide, table dictionary of
`COST_AND_USAGE_REPORT`. Line types, and which column is the amortised cost of each: the same dictionary, line item,
reservation and savings plan columns. Units: FOCUS 1.2, attribute Unit Format, and those that AWS (`Hrs`, `GB-Mo`),
Azure (`1 GB/Month`) and Google Cloud (`GiBy.mo`) write instead; the clouds write GB where they bill GiB.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final, Literal

from gpucluster.record import record

Form = Literal["focus", "cur2"]

CATEGORIES: Final = ("Usage", "Purchase", "Tax", "Credit", "Adjustment")
"""Allowed values of ChargeCategory (FOCUS 1.2, specification/columns/chargecategory.md)."""

_NUMBERED: Final = re.compile(r"(?P<number>\d+(?:[.,]\d+)*)(?P<thousands>[KMB]?) +(?P<unit>\S.*)")
_THOUSANDS: Final = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9}


@record
class Column:
    """A field of a charge. names: columns of the form that it is read from, the first that has a value counts."""

    field: str
    type: str
    names: Sequence[str]
    needed: bool


@record
class LineType:
    """A line type of AWS. category: as FOCUS has it. effective: field of its amortised cost, empty for none. counts:
    whether its quantity is usage, which that of a discount on usage is not.
    """

    category: str
    effective: str
    counts: bool


@cache
def columns(form: Form) -> tuple[Column, ...]:
    """What is read from a bill of a form."""
    return tuple(
        Column(row["field"], row["type"], row[form].split("|") if row[form] else (), bool(row["needed"] and row[form]))
        for row in _rows("columns.csv")
    )


@cache
def line_types() -> Mapping[str, LineType]:
    """Those of AWS by name."""
    return {
        row["type"]: LineType(row["category"], row["effective"], bool(row["counts"])) for row in _rows("line_types.csv")
    }


def measure(unit: str) -> str:
    """What a unit measures, `hour` say; the unit itself where the table has none of it."""
    return _unit(unit)[0]


def factor(billed: str, ours: str) -> Decimal | None:
    """How many of our unit one of a bill's is; None where they are not units of the same thing, or not known."""
    theirs, own = _unit(billed), _unit(ours)
    return theirs[1] / own[1] if theirs[0] == own[0] and theirs[0] else None


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
