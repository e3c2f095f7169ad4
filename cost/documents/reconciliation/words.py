"""Remarks on a bill and its plan."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Final

from gpucluster.cost.bills.learn import Learned
from gpucluster.cost.bills.reconciled import Apart, Beside, Exactness, Reason, Reconciled, Row
from gpucluster.cost.money import change, money
from gpucluster.program.resources import urn_name

REASONS: Final = {
    "hours": "hours", "usage": "usage", "price": "price", "commitment": "commitment",
    "missing": "missing on the bill", "unknown": "unknown",
}  # fmt: skip


def name_of(row: Row) -> str:
    """A line and its resource."""
    return f"{row.line.name} ({urn_name(row.line.urn)})"


def reason(found: Reason) -> str:
    """`hours -$4,403.20: 720 h planned, 640 h billed`."""
    return f"{REASONS[found.kind]} {change(found.amount)}: {found.words}"


def difference(planned: Decimal | None, billed: Decimal) -> str:
    """Billed minus planned, `unknown` without a plan."""
    return "unknown" if planned is None else change(billed - planned)


def exact(share: Decimal | None) -> str:
    """`97.3%`; a share under 1 never reads 100.0%."""
    if share is None:
        return ""
    return f"{min(share, Decimal('0.999')):.1%}" if share < 1 else "100.0%"


def days(found: Reconciled) -> str:
    """`2026-10-01 to 2026-10-31 (31 days)`."""
    last = found.window.end - timedelta(seconds=1)
    count = found.window.hours / 24
    return f"{found.window.start:%Y-%m-%d} to {last:%Y-%m-%d} ({count:.2f} days)".replace(".00 days", " days")


def sentence(total: Exactness) -> str:
    """The accuracy of the estimate."""
    if total.of_total is None:
        return f"planned {money(total.planned)}, billed nothing"
    return (
        f"The estimate was {exact(total.of_total)} accurate in total and {exact(total.by_line)} line by line: "
        f"planned {money(total.planned)}, billed {money(total.billed)} "
        f"(EffectiveCost; on the invoice, BilledCost: {money(total.invoiced)})"
    )


def beside(one: Beside) -> str:
    """`trial-x: NatGateway-Bytes (AmazonEC2)`."""
    return f"{one.resource or 'no resource'}: {one.what} ({one.service})"


def apart(one: Apart, where: str) -> str:
    """Credits and similar charges, in one line."""
    amounts = f"BilledCost {_usd(one.invoiced)}, EffectiveCost {_usd(one.effective)}"
    return f"{one.kind} {where}: {amounts}, {_rows(one.rows)}"


def _usd(amount: Decimal) -> str:
    return f"-{money(-amount)}" if amount < 0 else money(amount)


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def remarks(found: Reconciled, learned: Learned) -> Iterator[str]:
    """Everything except the lines, one sentence each."""
    for one in found.apart:
        yield f"Separate: {apart(one, 'of this stack')}"
    for one in found.elsewhere:
        yield f"Separate: {apart(one, 'of the rest of the bill, not allocated')}"
    for one, line in found.unlabelled:
        yield (
            f"Without the stack's labels: {beside(one)}, {money(one.billed)}, may be {line.name} "
            f"({urn_name(line.urn)}); it is in no total: label it"
        )
    for currency, amount, rows in found.other_currencies:
        yield f"In {currency}: {amount:,.2f} in {_rows(rows)}, in no total"
    if found.read.repeated:
        other = f", {found.read.changed:,} of them with other amounts" if found.read.changed else ""
        yield f"In several files: {_rows(found.read.repeated)}{other}; each counts once, as in the last file"
    if found.read.faults:
        yield f"Not read: {len(found.read.faults)} rows or files (on stderr); totals exclude them"
    for line in learned.not_learned:
        yield f"Not learned: the quantity of {line.name} ({urn_name(line.urn)}), which the plan sets"
