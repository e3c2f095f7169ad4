"""The estimate for spreadsheets: a row for each line, and one for each thing without a price, which is never zero."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, Final

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import Grouping
from gpucluster.cost.render.json import line_json

__all__ = ["COLUMNS", "as_csv", "cell"]

COLUMNS: Final = (
    "line", "status", "resource", "resource_name", "part", "name", "quantity", "floor_quantity", "ceiling_quantity",
    "unit", "basis", "unit_price", "monthly", "monthly_floor", "monthly_ceiling", "region", "purchase", "term",
    "source", "as_of", "confidence", "assumption", "spend", "paid_by", "idle_quantity", "upfront", "reason",
)  # fmt: skip
"""Fields of a line as in `gpucluster cost report --format json`. line: its number, from 1. status: `priced` or
`not priced`, the latter with its reason and without amounts."""

_NUMBERS: Final = frozenset(
    {"line", "quantity", "floor_quantity", "ceiling_quantity", "unit_price", "monthly", "monthly_floor",
     "monthly_ceiling", "idle_quantity", "upfront"}
)  # fmt: skip


def as_csv(estimate: Estimate, groupings: Sequence[Grouping] = ()) -> str:
    """The rows with a header; for each grouping, the group of each row in a last column, `label:` and the label."""
    out = io.StringIO()
    columns = (*COLUMNS, *(f"label:{grouping.label}" for grouping in groupings))
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writerow({name: _cell(name, name) for name in columns})
    rows: list[dict[str, Any]] = [
        {"line": str(number), "status": "priced", **line_json(line, estimate)}
        for number, line in enumerate(estimate.lines, 1)
    ]
    rows += [
        {
            "status": "not priced",
            "resource": item.urn,
            "resource_name": estimate.names.get(item.urn, ""),
            "part": item.part,
            "reason": item.reason,
        }
        for item in sorted(estimate.not_priced, key=lambda item: item.urn)
    ]
    for row in rows:
        row |= {f"label:{grouping.label}": grouping.by_urn[row["resource"]] for grouping in groupings}
        writer.writerow({name: _cell(name, value) for name, value in row.items()})
    return out.getvalue().removesuffix("\n")


def _cell(column: str, text: str) -> str:
    return text if column in _NUMBERS else cell(text)


def cell(text: str) -> str:
    """Text that a spreadsheet would take for a formula begins with an apostrophe, which says that it is text."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and text else text
