"""What is on a bill: charges, as one sum for each thing that is billed alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from gpucluster.errors import InputError
from gpucluster.record import record

USD: Final = "USD"


class BadBill(InputError):
    """A bill cannot be used; one line for each thing that is wrong with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Charge:
    """Rows of a bill that differ in nothing but time and amount, added.

    category: `Usage`, `Purchase`, `Tax`, `Credit`, `Adjustment`, or `Refund` as AWS alone has it.
    correction: whether they correct an earlier bill.
    quantity: units that are priced; None where no row has one.
    billed, effective: what is invoiced, and what it comes to with purchases spread over what they cover.
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


@record
class Rest:
    """What is on the bill besides, by category and currency."""

    category: str
    currency: str
    rows: int
    billed: Decimal
    effective: Decimal


@record(kw_only=True)
class Read:
    """What was read.

    charges: those that may be of the stack. rest: all others. faults: rows and files that could not be read, a line
    each. repeated: rows left out because a later file has them, too. changed: those of them with other amounts there.
    """

    charges: tuple[Charge, ...]
    rest: tuple[Rest, ...]
    rows: int
    faults: tuple[str, ...]
    repeated: int
    changed: int
