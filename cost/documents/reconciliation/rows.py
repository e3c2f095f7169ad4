"""A bill compared with its plan, for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpucluster.cost.bills.reconciled import Reconciled
from gpucluster.cost.documents.reconciliation.words import REASONS
from gpucluster.program.resources import urn_name

COLUMNS: Final = (
    "status", "part", "resource", "name", "unit", "planned_quantity", "billed_quantity", "planned", "billed",
    "invoiced", "difference", *REASONS, "why",
)  # fmt: skip


def reconciliation_rows(found: Reconciled) -> Iterator[Mapping[str, Any]]:
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
