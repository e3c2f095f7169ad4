"""Charges of a bill: one sum for all rows billed alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from gpucluster.errors import InputError

USD: Final = "USD"


class BadBill(InputError):
    """A bill cannot be used; one line for each problem."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Charge:
    """Sum of rows of a bill that differ only in time and amount.

    category: `Usage`, `Purchase`, `Tax`, `Credit`, `Adjustment`, or, on AWS only, `Refund`.
    correction: whether they correct an earlier bill.
    quantity: priced units; None if no row has any.
    billed, effective: the invoiced amount, and the amount with purchases spread over what they cover.
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
    """

    charges: tuple[Charge, ...]
    rest: tuple[Rest, ...]
    rows: int
    faults: tuple[str, ...]
    repeated: int
    changed: int
