"""Rows of the price book."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.cost.documents.words.plain import SCHEMA_VERSION
from gpucluster.cost.prices import PriceRow
from gpucluster.cost.render.document import Block, Document, table

_COLUMNS: Final = ("provider", "region", "sku", "unit", "purchase", "term", "usd_per_unit", "as_of", "confidence",
                   "source", "note")  # fmt: skip


def prices_document(rows: Sequence[PriceRow], today: datetime.date) -> Document:
    """today: the date for judging their confidence."""
    fields = [_fields(row, today) for row in rows]
    count = "1 price" if len(rows) == 1 else f"{len(rows):,} prices"

    def blocks() -> Iterator[Block]:
        cells = [[*row.values()][:-1] for row in fields]
        yield table(_COLUMNS[:-1], cells, words=range(len(_COLUMNS)), folded=None)

    def model() -> dict[str, Any]:
        more = ({"basis": row.basis, "second_opinion": row.alt} for row in rows)
        prices = [{**of, **also} for of, also in zip(fields, more, strict=True)]
        return {"schema_version": SCHEMA_VERSION, "currency": "USD", "prices": prices}

    title = f"{count} in USD per unit, before tax and discounts"
    return Document(title=title, blocks=blocks, model=model, columns=_COLUMNS, rows=lambda: fields)


def _fields(row: PriceRow, today: datetime.date) -> dict[str, str]:
    values = (row.provider, row.region, row.sku, row.unit, row.purchase, row.term, f"{row.usd_per_unit:f}", row.as_of,
              row.confidence(today), row.source, row.note)  # fmt: skip
    return dict(zip(_COLUMNS, values, strict=True))
