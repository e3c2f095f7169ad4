"""The estimate for spreadsheets: a row for each line, and for each unpriced item, which is never zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.cost.documents.report.model import line_json
from gpucluster.cost.documents.words.unpriced import bound_json
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import Grouping
from gpucluster.cost.model import NotPriced
from gpucluster.cost.render.csv_text import csv_of

COLUMNS: Final = (
    "line", "status", "resource", "resource_name", "part", "name", "quantity", "floor_quantity", "ceiling_quantity",
    "unit", "basis", "unit_price", "list_unit_price", "monthly", "monthly_floor", "monthly_ceiling", "region",
    "purchase", "term", "source", "as_of", "confidence", "assumption", "usage", "spend", "paid_by", "idle_quantity",
    "upfront", "reason", "monthly_least", "monthly_most", "bound",
)  # fmt: skip
"""Fields of a line as in `gpucluster cost report --format json`. line: its number, from 1. status: `priced`,
`depends on usage` if that is assumed to be zero, or `not priced`, the last with its reason and without amounts.
monthly_least, monthly_most: bounds of an unpriced item in USD per month, by the rule in `bound`; not a price, and in no
sum."""


def as_csv(estimate: Estimate, groupings: Sequence[Grouping] = ()) -> str:
    """The rows with a header; for each grouping, the group of each row in a further column, `label:` and the label."""
    labels = {f"label:{grouping.label}": grouping.by_urn for grouping in groupings}
    rows = ({**row, **{name: by_urn[row["resource"]] for name, by_urn in labels.items()}} for row in _rows(estimate))
    return csv_of([*COLUMNS, *labels], rows)


def _rows(estimate: Estimate) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(estimate.lines, 1):
        status = "depends on usage" if line.by_usage else "priced"
        yield {"line": number, "status": status, **line_json(line, estimate), "usage": " ".join(line.usage)}
    for item in sorted(estimate.not_priced, key=lambda item: item.urn):
        yield {
            "status": "not priced",
            "resource": item.urn,
            "resource_name": estimate.names.get(item.urn, ""),
            "part": item.part,
            "reason": item.reason,
            **_bound(item),
        }


def _bound(item: NotPriced) -> dict[str, str]:
    found = bound_json(item)
    if found is None:
        return {}
    least, most = found["monthly_least"]["expected"], found["monthly_most"]["expected"]
    kept = {name: found[name] for name in ("name", "quantity", "unit", "basis")}
    return {**kept, "monthly_least": least, "monthly_most": most, "bound": found["rule"]}
