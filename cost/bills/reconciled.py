"""What a bill says of a plan."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from gpucluster.cost.bills.charges import Read
from gpucluster.cost.bills.planned import Planned, Window
from gpucluster.cost.model import cents
from gpucluster.record import record

Kind = Literal["hours", "usage", "price", "commitment", "missing", "unknown"]


@record
class Reason:
    """A part of a difference. amount: USD that it makes the bill more than the plan."""

    kind: Kind
    amount: Decimal
    words: str


@record(kw_only=True)
class Row:
    """A line of the plan for the days of the bill.

    planned: USD, None where the plan has no price. cost: USD with purchases spread over what they cover
    (EffectiveCost), not rounded. invoiced: USD on the invoice (BilledCost). quantity: None where the bill's unit is not
    known. charges: rows of the bill. months: of the estimate in the window.
    """

    line: Planned
    planned_quantity: Decimal | None
    planned: Decimal | None
    quantity: Decimal | None
    cost: Decimal
    invoiced: Decimal
    charges: int
    reasons: tuple[Reason, ...]
    months: Decimal

    @property
    def billed(self) -> Decimal:
        """USD to the cent."""
        return cents(self.cost)

    @property
    def exact(self) -> Decimal | None:
        """1 where it was billed as planned; None where nothing was billed or no price is known."""
        return None if self.planned is None else exactness([self]).of_total

    @property
    def shown(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.planned or self.charges or self.planned is None)


@record(kw_only=True)
class Beside:
    """What is billed and belongs to no line of the plan; amounts in USD as those of a row."""

    resource: str
    what: str
    service: str
    quantity: Decimal | None
    unit: str
    billed: Decimal
    invoiced: Decimal


@record
class Apart:
    """Credits, taxes, purchases and the like, which no line of a plan is for."""

    kind: str
    invoiced: Decimal
    effective: Decimal
    rows: int


@record(kw_only=True)
class Exactness:
    """How near the plan came. of_total: 1 where the sums are equal, faults that cancel each other out; by_line: 1 where
    every line is. None where nothing was billed.
    """

    planned: Decimal
    billed: Decimal
    invoiced: Decimal
    of_total: Decimal | None
    by_line: Decimal | None


@record(kw_only=True)
class Reconciled:
    """unlabelled: charges without any label of the stack, in its accounts, that are for the same thing as a line of
    which less was billed than planned. elsewhere: apart, of no label. other_currencies: code, amount, rows.
    """

    window: Window
    rows: tuple[Row, ...]
    not_in_plan: tuple[Beside, ...]
    unlabelled: tuple[tuple[Beside, Planned], ...]
    apart: tuple[Apart, ...]
    elsewhere: tuple[Apart, ...]
    other_currencies: tuple[tuple[str, Decimal, int], ...]
    read: Read

    @property
    def parts(self) -> tuple[str, ...]:
        """Components, the dearest on the bill first."""
        billed: dict[str, Decimal] = {}
        for row in self.rows:
            if row.shown:
                billed[row.line.part] = billed.get(row.line.part, Decimal(0)) + row.billed
        return tuple(sorted(billed, key=lambda part: (-billed[part], part)))

    def of_part(self, part: str) -> Exactness:
        """Of the lines of one component."""
        return exactness([row for row in self.rows if row.line.part == part])

    @property
    def total(self) -> Exactness:
        """Of all lines, and what is not in the plan with them."""
        return exactness(self.rows, self.not_in_plan)


def exactness(rows: tuple[Row, ...] | list[Row], beside: tuple[Beside, ...] = ()) -> Exactness:
    """How near the plan of some lines came to what was billed for them."""
    planned = sum((row.planned for row in rows if row.planned is not None), Decimal(0))
    more = sum((one.billed for one in beside), Decimal(0))
    billed = sum((row.billed for row in rows), more)
    apart = sum(
        (abs(row.billed - (row.planned or 0)) for row in rows), sum((abs(one.billed) for one in beside), Decimal(0))
    )
    return Exactness(
        planned=planned,
        billed=billed,
        invoiced=sum((row.invoiced for row in rows), sum((one.invoiced for one in beside), Decimal(0))),
        of_total=max(1 - abs(billed - planned) / billed, Decimal(0)) if billed > 0 else None,
        by_line=max(1 - apart / billed, Decimal(0)) if billed > 0 else None,
    )
