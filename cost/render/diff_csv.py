"""A change for spreadsheets: a row for each line that is not the same, and for what has no price on one side."""

from __future__ import annotations

import csv
import io
from typing import Final

from gpucluster.cost.changes import Diff, LineChange
from gpucluster.cost.model import NotPriced
from gpucluster.cost.render.csv import cell
from gpucluster.program.resources import urn_name

__all__ = ["COLUMNS", "diff_csv"]

COLUMNS: Final = (
    "kind", "part", "resource", "resource_name", "line", "quantity_before", "quantity_after", "unit", "monthly_before",
    "monthly_after", "change", "reason",
)  # fmt: skip
"""kind: `added`, `removed`, `changed`; `price lost`, `price gained`, which have no change; and with a reason instead of
amounts `newly unpriced`, `no longer unpriced`, `changed and unpriced`. USD a month, as expected."""


def diff_csv(found: Diff) -> str:
    """The rows with a header, in the order of the table; empty cells where a line is not there."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list[str](COLUMNS), restval="", lineterminator="\n")
    writer.writeheader()
    rows = [_line(line, part.name) for part in found.parts for line in part.changed]
    rows += [_unpriced(item, "newly unpriced") for item in found.newly_unpriced]
    rows += [_unpriced(item, "no longer unpriced") for item in found.no_longer_unpriced]
    rows += [_unpriced(item, "changed and unpriced") for item in found.changed_unpriced]
    writer.writerows({name: value if name in _AMOUNTS else cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue().removesuffix("\n")


_AMOUNTS: Final = ("quantity_before", "quantity_after", "monthly_before", "monthly_after", "change")


def _line(line: LineChange, part: str) -> dict[str, str]:
    before = None if line.kind == "price gained" else line.before
    after = None if line.kind == "price lost" else line.after
    return {
        "kind": line.kind,
        "part": part,
        "resource": line.line.urn,
        "resource_name": line.resource,
        "line": line.name,
        "quantity_before": "" if before is None else f"{before.quantity:f}",
        "quantity_after": "" if after is None else f"{after.quantity:f}",
        "unit": line.line.unit,
        "monthly_before": "" if before is None else f"{before.monthly:f}",
        "monthly_after": "" if after is None else f"{after.monthly:f}",
        "change": "" if line.change is None else f"{line.change:f}",
    }


def _unpriced(item: NotPriced, kind: str) -> dict[str, str]:
    named = {"resource": item.urn, "resource_name": urn_name(item.urn)}
    return {"kind": kind, "part": item.part, **named, "reason": item.reason}
