"""An answer as a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gpucluster.cost.documents.words.plain import SCHEMA_VERSION
from gpucluster.cost.render.document import Block, Document, Notes, table
from gpucluster.quote.quotes import Answer
from gpucluster.quote.spec_values import terms_values
from gpucluster.quote.words import HEADS, Numbered, cells, heading, left_out, missing, numbered, sections

_COLUMNS: Final = (
    "number", "cloud", "region", "zone", "machine", "way", "nodes", "spares", "gpus", "hours", "total_usd",
    "total_most_usd", "known", "usd_per_gpu_hour", "monthly_usd", "upfront_usd", "fabric_gbps", "high_confidence",
    "needs", "listed", "hard_to_get", "machine_bound", "machine_prices", "lost", "not_priced",
)  # fmt: skip


def quote_document(answer: Answer, top: int) -> Document:
    """top: number of rows for users; machines get every quote and every exclusion."""
    return Document(
        title=heading(answer),
        blocks=lambda: _blocks(answer, numbered(answer, top)),
        model=lambda: _model(answer),
        columns=_COLUMNS,
        rows=lambda: map(_quote, numbered(answer, len(answer.quotes))),
    )


def _blocks(answer: Answer, rows: list[Numbered]) -> Iterator[Block]:
    yield table(HEADS, [cells(one) for one in rows])
    if rest := len(answer.quotes) - len(rows):
        yield f"{rest} more: --top {len(answer.quotes)}, or --format csv"
    yield from (Notes(title, texts) for title, texts in sections(rows))
    if texts := left_out(answer):
        yield Notes("Excluded", texts)


def _model(answer: Answer) -> dict[str, Any]:
    """Every quote with its spec and the remarks of its plan."""
    asked = answer.question
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "question": {
            "gpus": asked.gpus,
            "hours": asked.hours,
            "accelerators": list(asked.accelerators),
            "clouds": list(asked.clouds),
            "regions": sorted(asked.places),
            "budget_usd": None if asked.budget is None else f"{asked.budget:f}",
            "terms": {cloud: terms_values(agreed) for cloud, agreed in asked.terms.items()},
        },
        "quotes": [
            {
                **_quote(one),
                "confidence_usd": {name: f"{usd:f}" for name, usd in one.quote.estimate.by_confidence.items()},
                "not_priced": [item.reason for item in one.quote.estimate.not_priced],
                "notes": one.quote.candidate.plan.facts.registered()["notes"],
                "place": dict(one.quote.candidate.place),
                "spec": one.quote.spec,
            }
            for one in numbered(answer, len(answer.quotes))
        ],
        "left_out": [
            {"cloud": one.cloud, "machine": one.machine, "way": one.way, "places": places, "why": one.why}
            for one, places in answer.refused.most_common()
        ],
    }


def _quote(of: Numbered) -> dict[str, Any]:
    quote, found, one = of.quote, of.quote.estimate, of.quote.candidate
    return {
        "number": of.number,
        "cloud": one.cloud,
        "region": one.place["region"],
        "zone": one.place["zone"],
        "machine": one.machine.machine_type,
        "way": one.way.words,
        "nodes": one.plan.training.nodes,
        "spares": one.plan.training.spares,
        "gpus": quote.gpus,
        "hours": quote.hours,
        "total_usd": f"{quote.total:f}",
        "total_most_usd": "" if quote.gap.known == "unknown" else f"{quote.most:f}",
        "known": quote.gap.known,
        "usd_per_gpu_hour": f"{quote.per_gpu_hour:f}",
        "monthly_usd": f"{found.monthly.expected:f}",
        "upfront_usd": f"{found.upfront:f}",
        "fabric_gbps": one.machine.fabric_gbps,
        "high_confidence": f"{quote.high:.3f}",
        "needs": one.way.needs,
        "listed": quote.listed,
        "hard_to_get": quote.hard_to_get,
        "machine_bound": quote.machine_bound,
        "machine_prices": [f"{date}, {source}" for date, source in quote.machine_prices],
        "lost": list(one.plan.facts.losses),
        "not_priced": missing(found),
    }
