"""A comparison for machines. Money is text, as in `gpucluster cost report`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from gpucluster.cost.comparison import Comparison, Row
from gpucluster.cost.comparison.figures import Figures
from gpucluster.cost.documents.report.model import as_json
from gpucluster.cost.documents.words.plain import SCHEMA_VERSION, text_of
from gpucluster.cost.documents.words.unpriced import known_json
from gpucluster.cost.prices import NotKnown
from gpucluster.cost.transfer import Egress

_FINE: Final = Decimal("0.001")

_TOTALS = (
    "complete",
    "known",
    "monthly",
    "hourly",
    "per_training_gpu_hour",
    "training_gpus",
    "trial",
    "committed_elsewhere_monthly",
    "not_priced",
    "not_built",
)
"""Fields of each column about its whole estimate, as in `gpucluster cost report --format json`."""


def comparison_model(found: Comparison) -> dict[str, Any]:
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
                "unpriced": [column.title for column, gap in zip(found.columns, part.gaps, strict=True) if gap.missing],
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
                "times_the_least": None if item.times is None else f"{item.times:f}",
                "known": known_json(item.monthly, item.gap),
            }
            for item in found.ranking
        ],
        "figures": {
            column.title: None if one is None else _figures(one)
            for column, one in zip(found.columns, found.figures, strict=True)
        },
        "figure_notes": list(found.notes),
        "offers": {
            gpu: [
                {
                    "name": item.name,
                    "usd_per_gpu_hour": text_of(item.usd),
                    "rank": item.rank,
                    "why_not_ranked": item.why,
                    "fabric": item.fabric,
                    "source": item.said,
                }
                for item in ranked
            ]
            for gpu, ranked in found.offers.items()
        },
        "complete_totals_least_first": [
            title
            for title in found.cheapest
            if any(column.title == title and column.estimate.complete for column in found.columns)
        ],
        "certain_totals_least_first": list(found.cheapest),
        "cannot_tell": list(found.undecided),
    }


def _figures(one: Figures) -> dict[str, Any]:
    grid = one.grid
    return {
        "machine": one.machine,
        "nodes": text_of(one.nodes),
        "usd_per_gpu_hour": _text(one.usd_per_gpu_hour),
        "usd_per_hour_per_1000_tf32_tflops": _text(one.per_1000_tflops, _FINE),
        "kw_per_node": _text(one.kw_per_node),
        "pue": None if grid is None else text_of(grid.pue),
        "g_co2e_per_kwh": None if grid is None else text_of(grid.g_per_kwh),
        "co2e_tonnes_a_year": _text(one.tonnes, _FINE),
        "days_to_move": _text(one.days, _FINE),
        "move_out": _egress(one.moved),
        "flow_out": _egress(one.flow),
    }


def _egress(found: Egress | NotKnown | None) -> dict[str, Any] | None:
    if found is None:
        return None
    if isinstance(found, NotKnown):
        return {"usd": None, "unpriced_gib": None, "reason": found.reason}
    return {"usd": text_of(found.usd), "unpriced_gib": text_of(found.unpriced_gib.quantize(Decimal(1))), "reason": ""}


def _text(amount: Decimal | None, to: Decimal | None = None) -> str | None:
    return None if amount is None else text_of(amount if to is None else amount.quantize(to))


def _rows(rows: Sequence[Row], found: Comparison) -> list[dict[str, Any]]:
    titles = [column.title for column in found.columns]
    return [{"what": row.key, "values": dict(zip(titles, row.cells, strict=True))} for row in rows]
