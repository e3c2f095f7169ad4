"""The result of comparing a bill with a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Final, Literal

from gpucluster.core.program.resources import Resources
from gpucluster.cost.bills.blocks import contract_of, fees_of, is_fee, with_fees
from gpucluster.cost.bills.charges import USD, BadBill, Charge, Read, Rest
from gpucluster.cost.bills.matching import Matcher, StackCharges, market, same_thing, tags_of
from gpucluster.cost.bills.planned import Planned, Window
from gpucluster.cost.pricing.model import cents

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
    unknown. charges: rows of the bill. months: of the estimate in the window. payments: how its paid units were bought:
    by which commitment, and on which market.
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
    payments: frozenset[tuple[str, str]]

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
class UnplannedCharge:
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
    not_in_plan: tuple[UnplannedCharge, ...]
    unlabelled: tuple[tuple[UnplannedCharge, Planned], ...]
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


def exactness(rows: tuple[Row, ...] | list[Row], charges: tuple[UnplannedCharge, ...] = ()) -> Exactness:
    """Accuracy of the plan for some lines."""
    planned = sum((row.planned for row in rows if row.planned is not None), Decimal(0))
    more = sum((one.billed for one in charges), Decimal(0))
    billed = sum((row.billed for row in rows), more)
    apart = sum(
        (abs(row.billed - (row.planned or 0)) for row in rows), sum((abs(one.billed) for one in charges), Decimal(0))
    )
    return Exactness(
        planned=planned,
        billed=billed,
        invoiced=sum((row.invoiced for row in rows), sum((one.invoiced for one in charges), Decimal(0))),
        of_total=max(1 - abs(billed - planned) / billed, Decimal(0)) if billed > 0 else None,
        by_line=max(1 - apart / billed, Decimal(0)) if billed > 0 else None,
    )


_CENT: Final = Decimal("0.02")
"""Largest difference caused by rounding planned, billed and usage amounts to the cent."""


def reconcile(
    read: Read, lines: Sequence[Planned], resources: Resources, keys: StackCharges, start: date | None, end: date | None
) -> Reconciled:
    """The bill compared with the plan, for the requested days, else those for which the bill has charges of this
    stack. BadBill if nothing on the bill belongs to the stack.
    """
    matcher = Matcher(lines, resources, keys)
    charges = [charge for charge in read.charges if matcher.has(charge)]
    usage = [
        charge for charge in charges if charge.category == "Usage" and charge.currency == USD and not charge.correction
    ]
    if not usage:
        labels = ", ".join(f"{key}={value}" for key, value in keys.labels.items()) or "no labels"
        raise BadBill(
            f"none of {read.rows:,} rows belongs to this stack ({labels}) or to a resource id in its state; "
            "on AWS, labels reach the bill only after you activate them as cost allocation tags"
        )
    window = Window(_moment(start) or min(one.start for one in usage), _moment(end) or max(one.end for one in usage))
    matches = [(charge, matcher.of(charge)) for charge in usage]
    accounts = frozenset(charge.account for charge in usage)
    fees = fees_of(read.charges, lines, matcher, accounts)
    paid = {fee for of_line in fees.of_line.values() for fee in of_line}

    def charges_of(line: Planned) -> list[tuple[Charge, Decimal | None]]:
        own = [(charge, match.quantity) for charge, match in matches if match and match.line is line]
        return with_fees(line, fees.of_line.get(line, ()), own, window, contract_of(line, read.contracts))

    rows = tuple(_row(line, window, charges_of(line)) for line in lines)
    short = [row.line for row in rows if row.planned is None or row.billed < row.planned]
    of_stack, in_lines = {*charges}, {*usage, *paid}
    loose = [one for one in read.charges if one not in of_stack and one.currency == USD and one.account in accounts]
    loose = [charge for charge in loose if charge.category == "Usage" and matcher.unmarked(charge)]
    fits = [(charge, match.line) for charge in loose if (match := same_thing(charge, short))]
    apart = [charge for charge in charges if charge not in in_lines and charge.currency == USD]
    others = [charge for charge in read.charges if is_fee(charge) and charge not in of_stack | in_lines]
    return Reconciled(
        window=window,
        rows=rows,
        not_in_plan=tuple(_unplanned(charge) for charge, match in matches if match is None),
        unlabelled=tuple((_unplanned(charge), line) for charge, line in (*fits, *fees.possible)),
        apart=tuple(_apart(apart)),
        elsewhere=tuple(_elsewhere(read, others)),
        other_currencies=tuple(_currencies(read)),
        read=read,
    )


def _moment(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time())


def _row(line: Planned, window: Window, charges: Sequence[tuple[Charge, Decimal | None]]) -> Row:
    charges = _paid(charges)
    months = window.months(line.unit)
    planned = None if line.quantity is None or line.price is None else cents(line.quantity * line.price * months)
    known = [quantity for _, quantity in charges if quantity is not None]
    return Row(
        line=line,
        planned_quantity=None if line.quantity is None else line.quantity * months,
        planned=planned,
        quantity=sum(known, Decimal(0)) if len(known) == len(charges) else None,
        cost=sum((charge.effective for charge, _ in charges), Decimal(0)),
        invoiced=cents(sum((charge.billed for charge, _ in charges), Decimal(0))),
        charges=sum(charge.rows for charge, _ in charges),
        reasons=tuple(_reasons(line, planned, months, charges)),
        months=months,
        payments=_payments(charges),
    )


def _paid(charges: Sequence[tuple[Charge, Decimal | None]]) -> Sequence[tuple[Charge, Decimal | None]]:
    """The charges, those at rate 0 without a quantity if others are paid: they repeat units that others are billed for,
    such as hours of a reservation, or are a free allowance.
    """
    if not any(quantity and _costs(charge) for charge, quantity in charges):
        return charges
    return [(charge, quantity if _costs(charge) else Decimal(0)) for charge, quantity in charges]


def _costs(charge: Charge) -> bool:
    return bool(charge.effective or charge.billed)


def _payments(charges: Sequence[tuple[Charge, Decimal | None]]) -> frozenset[tuple[str, str]]:
    """Discounts, and parts that are not counted, go with what they belong to."""
    return frozenset((charge.commitment, market(charge)) for charge, quantity in charges if quantity != 0)


def _reasons(
    line: Planned, planned: Decimal | None, months: Decimal, charges: Sequence[tuple[Charge, Decimal | None]]
) -> Iterator[Reason]:
    """Reasons why a line was billed differently than planned; the amounts add up to the difference."""
    billed = cents(sum((charge.effective for charge, _ in charges), Decimal(0)))
    if planned is None or line.price is None or line.quantity is None:
        if charges:
            yield Reason("unknown", billed, "the plan has no price")
        return
    if not charges:
        if planned:
            yield Reason("missing", -planned, "the bill has no charge for it")
        return
    if abs(billed - planned) < _CENT:
        return
    if any(quantity is None for _, quantity in charges):
        units = ", ".join(sorted({charge.unit for charge, quantity in charges if quantity is None}))
        yield Reason("unknown", billed - planned, f"billed by the {units}, planned by the {line.unit}")
        return
    quantity = sum((quantity for _, quantity in charges if quantity is not None), Decimal(0))
    wanted = line.quantity * months
    of_usage = cents((quantity - wanted) * line.price)
    of_price = billed - planned - of_usage
    if abs(of_price) < _CENT:
        of_usage, of_price = billed - planned, Decimal(0)
    if of_usage:
        kind = "hours" if line.unit.endswith("hour") else "usage"
        yield Reason(kind, of_usage, f"{_number(wanted)} {line.unit} planned, {_number(quantity)} billed")
    if of_price:
        kind = "commitment" if any(charge.commitment for charge, _ in charges) else "price"
        each = sum((charge.effective for charge, _ in charges), Decimal(0)) / quantity if quantity else Decimal(0)
        note = ", the mean of what was bought in several ways" if len(_payments(charges)) > 1 else ""
        if line.purchase == "capacity_block" and not billed:
            note = "; the fee of a block is on the bill of the day on which it starts: give that bill, too"
        yield Reason(kind, of_price, f"${line.price:f} per {line.unit} planned, ${_number(each, 6)} billed{note}")


def _number(value: Decimal, places: int = 2) -> str:
    shown = f"{value:,.{places}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _unplanned(charge: Charge) -> UnplannedCharge:
    name = tags_of(charge.tags).get("name", "")
    return UnplannedCharge(
        resource=name or charge.resource_name or charge.resource,
        what=charge.meter or charge.description or charge.service,
        service=charge.service,
        quantity=charge.quantity,
        unit=charge.unit,
        billed=cents(charge.effective),
        invoiced=cents(charge.billed),
    )


def _kind(charge: Charge) -> str:
    return "Correction" if charge.correction else charge.category


def _apart(charges: Iterable[Charge]) -> Iterator[Apart]:
    """Credits, taxes, refunds, purchases and corrections of this stack, by kind."""
    found: dict[str, list[Charge]] = {}
    for charge in charges:
        found.setdefault(_kind(charge), []).append(charge)
    for kind, of_kind in sorted(found.items()):
        billed, effective = (
            sum(amounts, Decimal(0)) for amounts in zip(*((one.billed, one.effective) for one in of_kind), strict=True)
        )
        yield Apart(kind, cents(billed), cents(effective), sum(one.rows for one in of_kind))


def _elsewhere(read: Read, fees: Iterable[Charge]) -> Iterator[Apart]:
    found: dict[str, list[Rest | Charge]] = {}
    for one in (*read.rest, *fees):
        if one.currency == USD and one.category != "Usage":
            found.setdefault(one.category, []).append(one)
    for category, alike in sorted(found.items()):
        billed, effective = (
            sum(amounts, Decimal(0)) for amounts in zip(*((one.billed, one.effective) for one in alike), strict=True)
        )
        yield Apart(category, cents(billed), cents(effective), sum(one.rows for one in alike))


def _currencies(read: Read) -> Iterator[tuple[str, Decimal, int]]:
    """Currency, billed amount and number of rows, for currencies other than USD; they are never added up."""
    found: dict[str, tuple[Decimal, int]] = {}
    for item in (*read.charges, *read.rest):
        if item.currency != USD:
            billed, rows = found.get(item.currency, (Decimal(0), 0))
            found[item.currency] = (billed + item.billed, rows + item.rows)
    yield from ((currency, cents(billed), rows) for currency, (billed, rows) in sorted(found.items()))
