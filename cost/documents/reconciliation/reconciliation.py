"""A bill compared with its plan: lines by component with reasons below each, and charges not in the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.documents.document import Document, Notes, Row, Section, Table, counted
from gpucluster.core.program.resources import urn_name
from gpucluster.cost.bills.reconciliation import Apart, Exactness, Reason, Reconciled, UnplannedCharge
from gpucluster.cost.bills.usage import DerivedUsage
from gpucluster.cost.pricing.money import change, money

REASONS: Final = {
    "hours": "hours", "usage": "usage", "price": "price", "commitment": "commitment",
    "missing": "missing on the bill", "unknown": "unknown",
}  # fmt: skip
COLUMNS: Final = (
    "status", "part", "resource", "name", "unit", "planned_quantity", "billed_quantity", "planned", "billed",
    "invoiced", "difference", *REASONS, "why",
)  # fmt: skip
_HEADS: Final = ("", "planned", "billed", "difference", "exact")


def reconciliation_document(found: Reconciled, learned: DerivedUsage, stack: str) -> Document:
    """The whole answer."""

    def model() -> Any:
        from gpucluster.cost.documents.reconciliation.reconciliation_json import reconciliation_json

        return reconciliation_json(found, learned)

    return Document(
        title=f"Bill and plan{f' of {stack}' if stack else ''}, {_days(found)}, USD",
        sections=lambda: _sections(found, learned),
        model=model,
        rows=lambda: (COLUMNS, _csv_rows(found)),
    )


def _sections(found: Reconciled, learned: DerivedUsage) -> Iterator[Section]:
    total = Row(("Total", *_sums(found.total)), strong=True)
    yield Table(heads=_HEADS, rows=[*_rows(found)], sums=[total], detail="Every line")
    yield _sentence(found.total)
    if texts := [*_remarks(found, learned)]:
        yield Notes("", texts)


def _rows(found: Reconciled) -> Iterator[Row]:
    for part in found.parts:
        yield Row((part, *_sums(found.of_part(part))), strong=True)
        for row in found.rows:
            if row.line.part == part and row.shown:
                planned = "unknown" if row.planned is None else money(row.planned)
                amounts = planned, money(row.billed), _difference(row.planned, row.billed), _exact(row.exact)
                yield Row(
                    (f"{row.line.name} ({urn_name(row.line.urn)})", *amounts), [_reason(one) for one in row.reasons]
                )
    if found.not_in_plan:
        more = sum((one.billed for one in found.not_in_plan), Decimal(0))
        yield Row(("not in the plan", "", money(more), _difference(Decimal(0), more), ""), strong=True)
    for one in found.not_in_plan:
        yield Row((_unplanned(one), "", money(one.billed), _difference(Decimal(0), one.billed), ""))


def _sums(sums: Exactness) -> tuple[str, ...]:
    return money(sums.planned), money(sums.billed), _difference(sums.planned, sums.billed), _exact(sums.of_total)


def _reason(found: Reason) -> str:
    """`hours -$4,403.20: 720 h planned, 640 h billed`."""
    return f"{REASONS[found.kind]} {change(found.amount)}: {found.words}"


def _difference(planned: Decimal | None, billed: Decimal) -> str:
    """Billed minus planned, `unknown` without a plan."""
    return "unknown" if planned is None else change(billed - planned)


def _exact(share: Decimal | None) -> str:
    """`97.3%`; a share under 1 never reads 100.0%."""
    if share is None:
        return ""
    return f"{min(share, Decimal('0.999')):.1%}" if share < 1 else "100.0%"


def _days(found: Reconciled) -> str:
    """`2026-10-01 to 2026-10-31 (31 days)`."""
    last = found.window.end - timedelta(seconds=1)
    count = found.window.hours / 24
    return f"{found.window.start:%Y-%m-%d} to {last:%Y-%m-%d} ({count:.2f} days)".replace(".00 days", " days")


def _sentence(total: Exactness) -> str:
    """The accuracy of the estimate."""
    if total.of_total is None:
        return f"planned {money(total.planned)}, billed nothing"
    return (
        f"The estimate was {_exact(total.of_total)} accurate in total and {_exact(total.by_line)} line by line: "
        f"planned {money(total.planned)}, billed {money(total.billed)} "
        f"(EffectiveCost; on the invoice, BilledCost: {money(total.invoiced)})"
    )


def _unplanned(one: UnplannedCharge) -> str:
    """`trial-x: NatGateway-Bytes (AmazonEC2)`."""
    return f"{one.resource or 'no resource'}: {one.what} ({one.service})"


def _apart(one: Apart, where: str) -> str:
    """Credits and similar charges, in one line."""
    amounts = f"BilledCost {_usd(one.invoiced)}, EffectiveCost {_usd(one.effective)}"
    return f"{one.kind} {where}: {amounts}, {counted(one.rows, 'row')}"


def _usd(amount: Decimal) -> str:
    return f"-{money(-amount)}" if amount < 0 else money(amount)


def _remarks(found: Reconciled, learned: DerivedUsage) -> Iterator[str]:
    """Everything except the lines, one sentence each."""
    for one in found.apart:
        yield f"Separate: {_apart(one, 'of this stack')}"
    for one in found.elsewhere:
        yield f"Separate: {_apart(one, 'of the rest of the bill, not allocated')}"
    for one, line in found.unlabelled:
        yield (
            f"Without the stack's labels: {_unplanned(one)}, {money(one.billed)}, may be {line.name} "
            f"({urn_name(line.urn)}); it is in no total: label it"
        )
    for currency, amount, rows in found.other_currencies:
        yield f"In {currency}: {amount:,.2f} in {counted(rows, 'row')}, in no total"
    if found.read.repeated:
        other = f", {found.read.changed:,} of them with other amounts" if found.read.changed else ""
        yield f"In several files: {counted(found.read.repeated, 'row')}{other}; each counts once, as in the last file"
    if found.read.faults:
        yield f"Not read: {len(found.read.faults)} rows or files (on stderr); totals exclude them"
    for line in learned.not_learned:
        yield f"Not learned: the quantity of {line.name} ({urn_name(line.urn)}), which the plan sets"


def _csv_rows(found: Reconciled) -> Iterator[Mapping[str, Any]]:
    """A row for each line of the plan, and for each charge outside it. A column for each kind of reason."""
    for row in found.rows:
        yield {
            "status": "planned" if row.charges else "missing on the bill",
            "part": row.line.part,
            "resource": urn_name(row.line.urn),
            "name": row.line.name,
            "unit": row.line.unit,
            "planned_quantity": _quantity(row.planned_quantity),
            "billed_quantity": _quantity(row.quantity),
            "planned": row.planned,
            "billed": row.billed,
            "invoiced": row.invoiced,
            "difference": None if row.planned is None else row.billed - row.planned,
            "why": [one.words for one in row.reasons],
            **{one.kind: one.amount for one in row.reasons},
        }
    for one in found.not_in_plan:
        yield {
            "status": "not in the plan",
            "resource": one.resource,
            "name": one.what,
            "unit": one.unit,
            "billed_quantity": _quantity(one.quantity),
            "billed": one.billed,
            "invoiced": one.invoiced,
            "difference": one.billed,
        }


def _quantity(value: Decimal | None) -> str | None:
    return None if value is None else f"{value:.6f}"
