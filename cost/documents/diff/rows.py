"""A change for spreadsheets: a row for each changed line, and for each item without a price on one side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.cost.diff import Diff, LineChange
from gpucluster.cost.documents.words.unpriced import unpriced_words
from gpucluster.cost.model import NotPriced
from gpucluster.program.resources import urn_name

COLUMNS: Final = (
    "kind", "part", "resource", "resource_name", "line", "quantity_before", "quantity_after", "unit", "monthly_before",
    "monthly_after", "change", "reason",
)  # fmt: skip
"""kind: `added`, `removed`, `changed`; `price lost`, `price gained`, which have no change; and, with a reason but no
amounts, `newly unpriced`, `no longer unpriced`, `changed and unpriced`. USD per month, expected."""


def diff_rows(found: Diff) -> Iterator[Mapping[str, Any]]:
    """In the order of the table; values of a missing line are empty."""
    for part in found.parts:
        yield from (_line(line, part.name) for line in part.changed)
    yield from (_unpriced(item, "newly unpriced") for item in found.newly_unpriced)
    yield from (_unpriced(item, "no longer unpriced") for item in found.no_longer_unpriced)
    yield from (_unpriced(item, "changed and unpriced") for item in found.changed_unpriced)


def _line(line: LineChange, part: str) -> dict[str, Any]:
    before = None if line.kind == "price gained" else line.before
    after = None if line.kind == "price lost" else line.after
    return {
        "kind": line.kind,
        "part": part,
        "resource": line.line.urn,
        "resource_name": line.resource,
        "line": line.name,
        "quantity_before": before and f"{before.quantity:f}",
        "quantity_after": after and f"{after.quantity:f}",
        "unit": line.line.unit,
        "monthly_before": before and f"{before.monthly:f}",
        "monthly_after": after and f"{after.monthly:f}",
        "change": None if line.change is None else f"{line.change:f}",
    }


def _unpriced(item: NotPriced, kind: str) -> dict[str, Any]:
    named = {"resource": item.urn, "resource_name": urn_name(item.urn)}
    return {"kind": kind, "part": item.part, **named, "reason": unpriced_words(item)}
