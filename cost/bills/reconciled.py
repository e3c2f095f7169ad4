"""The result of comparing a bill with a plan."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpucluster.cost.bills.charges import Read
from gpucluster.cost.bills.planned import Planned, Window
from gpucluster.cost.model import cents

Kind = Literal["hours", "usage", "price", "commitment", "missing", "unknown"]


@dataclass(frozen=True)
class Reason:
    """A part of a difference. amount: USD by which it makes the bill exceed the plan."""

    kind: Kind
    amount: Decimal
    words: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line of the plan for the days of the bill.

    planned: USD, None if the plan has no price. cost: USD with purchases spread over what they cover
    (EffectiveCost), not rounded. invoiced: USD on the invoice (BilledCost). quantity: None if the bill's unit is
    unknown. charges: rows of the bill. months: of the estimate in the window.
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
        """1 if billed as planned; None if nothing was billed or no price is known."""
        return None if self.planned is None else exactness([self]).of_total

    @property
    def shown(self) -> bool:
        """Whether the row has anything to show."""
        return bool(self.planned or self.charges or self.planned is None)


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Charges that belong to no line of the plan; amounts in USD as in a row."""

    resource: str
    what: str
    service: str
    quantity: Decimal | None
    unit: str
    billed: Decimal
    invoiced: Decimal


@dataclass(frozen=True)
class Apart:
    """Credits, taxes, purchases and similar charges, which no plan contains."""

    kind: str
    invoiced: Decimal
    effective: Decimal
    rows: int


@dataclass(frozen=True, kw_only=True)
class Exactness:
    """Accuracy of the plan. of_total: 1 if the sums are equal, with offsetting errors; by_line: 1 if every line is
    equal. None if nothing was billed.
    """

    planned: Decimal
    billed: Decimal
    invoiced: Decimal
    of_total: Decimal | None
    by_line: Decimal | None


@dataclass(frozen=True, kw_only=True)
class Reconciled:
    """unlabelled: charges in its accounts without any label of the stack, for the same item as a line that was billed
    less than planned. elsewhere: apart, without a label. other_currencies: code, amount, rows.
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
        """Components, by billed amount, largest first."""
        billed: dict[str, Decimal] = {}
        for row in self.rows:
            if row.shown:
                billed[row.line.part] = billed.get(row.line.part, Decimal(0)) + row.billed
        return tuple(sorted(billed, key=lambda part: (-billed[part], part)))

    def of_part(self, part: str) -> Exactness:
        """The rows of one component."""
        return exactness([row for row in self.rows if row.line.part == part])

    @property
    def total(self) -> Exactness:
        """Sum of all lines and of charges not in the plan."""
        return exactness(self.rows, self.not_in_plan)


def exactness(rows: tuple[Row, ...] | list[Row], beside: tuple[Beside, ...] = ()) -> Exactness:
    """Accuracy of the plan for some lines."""
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
