"""Rows of the price book as a table, CSV and for machines."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Sequence
from typing import Any, Final

from gpucluster.cost.prices import PriceRow
from gpucluster.cost.render.json import SCHEMA_VERSION

__all__ = ["COLUMNS", "prices_csv", "prices_json", "prices_table"]

COLUMNS: Final = ("provider", "region", "sku", "unit", "purchase", "term", "usd_per_unit", "as_of", "confidence",
                  "source", "note")  # fmt: skip


def prices_table(rows: Sequence[PriceRow], today: datetime.date) -> str:
    """A row each, in columns as wide as they need be; the source stands last."""
    shown = [[*COLUMNS[:-1]], *([*_fields(row, today).values()][:-1] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in shown]
    count = "1 price" if len(rows) == 1 else f"{len(rows):,} prices"
    return "\n".join([*lines, "", f"{count} in USD per unit, before tax and discounts"])


def prices_csv(rows: Sequence[PriceRow], today: datetime.date) -> str:
    """The same as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([*_fields(row, today).values()] for row in rows)
    return out.getvalue().removesuffix("\n")


def prices_json(rows: Sequence[PriceRow], today: datetime.date) -> dict[str, Any]:
    """The same for machines; money is text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "prices": [{**_fields(row, today), "basis": row.basis, "second_opinion": row.alt} for row in rows],
    }


def _fields(row: PriceRow, today: datetime.date) -> dict[str, str]:
    values = (row.provider, row.region, row.sku, row.unit, row.purchase, row.term, f"{row.usd_per_unit:f}", row.as_of,
              row.confidence(today), row.source, row.note)  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))
