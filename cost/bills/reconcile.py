"""Compares a bill with an estimate: each line planned and billed, with the reasons of the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Final

from gpucluster.cost.bills.charges import USD, BadBill, Charge, Read
from gpucluster.cost.bills.match import Matcher, same_thing
from gpucluster.cost.bills.ours import Ours, tags_of
from gpucluster.cost.bills.planned import Planned, Window
from gpucluster.cost.bills.reconciled import Apart, Beside, Reason, Reconciled, Row
from gpucluster.cost.model import cents
from gpucluster.program.resources import Resources

_CENT: Final = Decimal("0.02")
"""Largest difference caused by rounding planned, billed and usage amounts to the cent."""


def reconcile(
    read: Read, lines: Sequence[Planned], resources: Resources, ours: Ours, start: date | None, end: date | None
) -> Reconciled:
    """The bill compared with the plan, for the requested days, else those for which the bill has charges of this
    stack. BadBill if nothing on the bill belongs to the stack.
    """
    matcher = Matcher(lines, resources, ours)
    mine = [charge for charge in read.charges if matcher.mine(charge)]
    usage = [
        charge for charge in mine if charge.category == "Usage" and charge.currency == USD and not charge.correction
    ]
    if not usage:
        said = ", ".join(f"{key}={value}" for key, value in ours.labels.items()) or "no labels"
        raise BadBill(
            f"none of {read.rows:,} rows belongs to this stack ({said}) or to a resource id in its state; "
            "on AWS, labels reach the bill only after you activate them as cost allocation tags"
        )
    window = Window(_moment(start) or min(one.start for one in usage), _moment(end) or max(one.end for one in usage))
    matches = [(charge, matcher.of(charge)) for charge in usage]
    rows = tuple(
        _row(line, window, [(charge, match.quantity) for charge, match in matches if match and match.line is line])
        for line in lines
    )
    short = [row.line for row in rows if row.planned is None or row.billed < row.planned]
    accounts = {charge.account for charge in usage}
    loose = [one for one in read.charges if one not in set(mine) and one.currency == USD and one.account in accounts]
    loose = [charge for charge in loose if charge.category == "Usage" and matcher.unmarked(charge)]
    fits = [(charge, match.line) for charge in loose if (match := same_thing(charge, short))]
    return Reconciled(
        window=window,
        rows=rows,
        not_in_plan=tuple(_beside(charge) for charge, match in matches if match is None),
        unlabelled=tuple((_beside(charge), line) for charge, line in fits),
        apart=tuple(_apart(charge for charge in mine if charge not in set(usage) and charge.currency == USD)),
        elsewhere=tuple(_elsewhere(read)),
        other_currencies=tuple(_currencies(read)),
        read=read,
    )


def _moment(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time())


def _row(line: Planned, window: Window, charges: Sequence[tuple[Charge, Decimal | None]]) -> Row:
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
    )


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
        yield Reason(kind, of_price, f"${line.price:f} per {line.unit} planned, ${_number(each, 6)} billed")


def _number(value: Decimal, places: int = 2) -> str:
    shown = f"{value:,.{places}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _beside(charge: Charge) -> Beside:
    name = tags_of(charge.tags).get("name", "")
    return Beside(
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


def _elsewhere(read: Read) -> Iterator[Apart]:
    for rest in read.rest:
        if rest.currency == USD and rest.category != "Usage":
            yield Apart(rest.category, cents(rest.billed), cents(rest.effective), rest.rows)


def _currencies(read: Read) -> Iterator[tuple[str, Decimal, int]]:
    """Currency, billed amount and number of rows, for currencies other than USD; they are never added up."""
    found: dict[str, tuple[Decimal, int]] = {}
    for item in (*read.charges, *read.rest):
        if item.currency != USD:
            billed, rows = found.get(item.currency, (Decimal(0), 0))
            found[item.currency] = (billed + item.billed, rows + item.rows)
    yield from ((currency, cents(billed), rows) for currency, (billed, rows) in sorted(found.items()))
