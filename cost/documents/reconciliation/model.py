"""A bill compared with its plan, for machines. Money is text."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from gpucluster.cost.bills.learn import Learned
from gpucluster.cost.bills.reconciled import Apart, Beside, Exactness, Reconciled, Row
from gpucluster.cost.documents.words.plain import SCHEMA_VERSION
from gpucluster.cost.model import cents


def reconciliation_model(found: Reconciled, learned: Learned) -> dict[str, Any]:
    """A document of plain values, in a stable order. `billed` is EffectiveCost, `invoiced` BilledCost."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "from": found.window.start.isoformat(),
        "to": found.window.end.isoformat(),
        "total": _exactness(found.total),
        "parts": [{"name": part, **_exactness(found.of_part(part))} for part in found.parts],
        "lines": [_row(row) for row in found.rows],
        "not_in_plan": [_beside(one) for one in found.not_in_plan],
        "unlabelled": [
            {**_beside(one), "may_be": {"resource": line.urn, "name": line.name}} for one, line in found.unlabelled
        ],
        "apart": [_apart(one) for one in found.apart],
        "apart_elsewhere": [_apart(one) for one in found.elsewhere],
        "other_currencies": [
            {"currency": code, "billed": f"{amount}", "rows": rows} for code, amount, rows in found.other_currencies
        ],
        "rows": found.read.rows,
        "repeated_rows": found.read.repeated,
        "repeated_rows_with_other_amounts": found.read.changed,
        "not_read": list(found.read.faults),
        "learned": {
            "usage": {
                urn: {name: f"{value:f}" for name, value in values.items()} for urn, values in learned.usage.items()
            },
            "prices": [
                {
                    "provider": key[0],
                    "region": key[1],
                    "sku": key[2],
                    "unit": key[3],
                    "bought": key[4].rstrip(","),
                    "usd_per_unit": f"{price:f}",
                }
                for key, price in learned.prices.items()
            ],
            "not_learned": [{"resource": line.urn, "name": line.name} for line in learned.not_learned],
        },
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "resource": row.line.urn,
        "part": row.line.part,
        "name": row.line.name,
        "unit": row.line.unit,
        "planned_quantity": _text(row.planned_quantity),
        "billed_quantity": _text(row.quantity),
        "planned": _text(row.planned),
        "billed": _text(row.billed),
        "invoiced": _text(row.invoiced),
        "rows": row.charges,
        "exact": _share(row.exact),
        "reasons": [{"kind": one.kind, "amount": f"{one.amount}", "words": one.words} for one in row.reasons],
    }


def _beside(one: Beside) -> dict[str, Any]:
    return {
        "resource": one.resource, "what": one.what, "service": one.service, "quantity": _text(one.quantity),
        "unit": one.unit, "billed": _text(one.billed), "invoiced": _text(one.invoiced),
    }  # fmt: skip


def _apart(one: Apart) -> dict[str, Any]:
    return {"kind": one.kind, "invoiced": f"{one.invoiced}", "effective": f"{one.effective}", "rows": one.rows}


def _exactness(sums: Exactness) -> dict[str, Any]:
    return {
        "planned": _usd(sums.planned),
        "billed": _usd(sums.billed),
        "invoiced": _usd(sums.invoiced),
        "exact_in_total": _share(sums.of_total),
        "exact_by_line": _share(sums.by_line),
    }


def _share(value: Decimal | None) -> str | None:
    return None if value is None else f"{value:.6f}"


def _usd(value: Decimal | None) -> str | None:
    return None if value is None else f"{cents(value):f}"


def _text(value: Decimal | None) -> str | None:
    return None if value is None else f"{value:f}"
