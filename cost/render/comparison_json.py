"""A comparison for machines. Money is text, as in `cost report`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cost.comparison import Comparison, Row
from cost.render.json import SCHEMA_VERSION, as_json

__all__ = ["comparison_json"]

_TOTALS = (
    "complete",
    "monthly",
    "hourly",
    "per_training_gpu_hour",
    "per_training_gpu_hour_with_committed",
    "training_gpus",
    "trial",
    "committed_elsewhere_monthly",
    "committed_elsewhere_upfront",
    "not_priced",
    "not_built",
)
"""What each column says of its whole estimate, as in `cost report --format json`."""


def comparison_json(found: Comparison) -> dict[str, Any]:
    """A document of plain values, in a stable order."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "columns": [
            {
                "title": column.title,
                **{key: value for key, value in as_json(column.estimate).items() if key in _TOTALS},
                "losses": [] if column.cluster is None else list(column.cluster.losses),
                "asked": None if column.cluster is None else dict(column.cluster.asked),
                "equivalence": None if column.cluster is None else dict(column.cluster.equivalence),
            }
            for column in found.columns
        ],
        "differences": _rows(found.differences, found),
        "parts": [
            {
                "name": part.name,
                "monthly": {
                    column.title: None if amount is None else f"{amount:f}"
                    for column, amount in zip(found.columns, part.monthly, strict=True)
                },
                "unpriced": list(part.unpriced),
                "ranked": part.ranked,
                "why_not": part.why,
            }
            for part in found.parts
        ],
        "ranking": [
            {
                "title": item.title,
                "monthly": f"{item.monthly:f}",
                "rank": item.rank,
                "times_the_least": f"{item.times:f}",
            }
            for item in found.ranking
        ],
        "complete_totals_least_first": list(found.cheapest),
        "cannot_tell": list(found.undecided),
    }


def _rows(rows: Sequence[Row], found: Comparison) -> list[dict[str, Any]]:
    titles = [column.title for column in found.columns]
    return [{"what": row.key, "values": dict(zip(titles, row.cells, strict=True))} for row in rows]
