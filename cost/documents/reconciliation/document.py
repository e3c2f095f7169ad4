"""A bill compared with its plan, for users: lines by component with reasons below each, and charges not in the plan."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.bills.learn import Learned
from gpucluster.cost.bills.reconciled import Exactness, Reconciled
from gpucluster.cost.documents.reconciliation.model import reconciliation_model
from gpucluster.cost.documents.reconciliation.rows import COLUMNS, reconciliation_rows
from gpucluster.cost.documents.reconciliation.words import (
    beside,
    days,
    difference,
    exact,
    name_of,
    reason,
    remarks,
    sentence,
)
from gpucluster.cost.money import money
from gpucluster.cost.render.document import Block, Document, Group, Notes, Row, Table

_HEADS: Final = ("", "planned", "billed", "difference", "exact")


def reconciliation_document(found: Reconciled, learned: Learned, stack: str) -> Document:
    """The whole answer."""
    return Document(
        title=f"Bill and plan{f' of {stack}' if stack else ''}, {days(found)}, USD",
        blocks=lambda: _blocks(found, learned),
        model=lambda: reconciliation_model(found, learned),
        columns=COLUMNS,
        rows=lambda: reconciliation_rows(found),
    )


def _blocks(found: Reconciled, learned: Learned) -> Iterator[Block]:
    rows = Group("", [*_rows(found)])
    yield Table(heads=_HEADS, groups=[rows], below="reasons", detail="Every line")
    yield sentence(found.total)
    if texts := [*remarks(found, learned)]:
        yield Notes("", texts)


def _rows(found: Reconciled) -> Iterator[Row]:
    for part in found.parts:
        yield Row((part, *_sums(found.of_part(part))), strong=True)
        for row in found.rows:
            if row.line.part == part and row.shown:
                planned = "unknown" if row.planned is None else money(row.planned)
                amounts = planned, money(row.billed), difference(row.planned, row.billed), exact(row.exact)
                yield Row((f"  {name_of(row)}", *amounts), [reason(one) for one in row.reasons])
    if found.not_in_plan:
        more = sum((one.billed for one in found.not_in_plan), Decimal(0))
        yield Row(("not in the plan", "", money(more), difference(Decimal(0), more), ""), strong=True)
    for one in found.not_in_plan:
        yield Row((f"  {beside(one)}", "", money(one.billed), difference(Decimal(0), one.billed), ""))
    yield Row(("Total", *_sums(found.total)), strong=True)


def _sums(sums: Exactness) -> tuple[str, ...]:
    return money(sums.planned), money(sums.billed), difference(sums.planned, sums.billed), exact(sums.of_total)
