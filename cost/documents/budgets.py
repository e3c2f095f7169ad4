"""Verdicts on limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.cost.budgets import Verdict
from gpucluster.cost.documents.words.plain import SCHEMA_VERSION, text_of
from gpucluster.cost.documents.words.unpriced import known_json
from gpucluster.cost.money import money, ranged
from gpucluster.cost.render.document import Block, Document, Notes, table

_TESTS: Final = {"expected": "expected", "ceiling": "at the most"}


def budgets_document(verdicts: Sequence[Verdict], title: str) -> Document:
    """A row for each limit, and the number of limits kept."""
    return Document(
        title=title,
        blocks=lambda: _blocks(verdicts),
        model=lambda: _model(verdicts),
        columns=("scope", "test", "amount", "limit", "verdict", "over_by", "why"),
        rows=lambda: _model(verdicts)["verdicts"],
    )


def _blocks(verdicts: Sequence[Verdict]) -> Iterator[Block]:
    rows = [
        [
            f"{item.scope}, {_TESTS[item.test]}",
            ranged(item.amount, item.gap),
            money(item.limit),
            item.outcome if item.over is None else f"over by {money(item.over)}",
        ]
        for item in verdicts
    ]
    yield table(["USD a month", "amount", "limit", "verdict"], rows)
    if reasons := [f"{item.scope}, {_TESTS[item.test]}: {item.why}" for item in verdicts if item.why]:
        yield Notes("", reasons)
    counts = Counter(item.outcome for item in verdicts)
    yield ", ".join(f"{counts[name]} {name}" for name in ("within", "over", "cannot tell") if counts[name])


def _model(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """A document of plain values, in the order of the limits. Money is text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "verdicts": [
            {
                "scope": item.scope,
                "test": item.test,
                "amount": text_of(item.amount),
                "complete": not item.gap.missing,
                "known": known_json(item.amount, item.gap),
                "limit": text_of(item.limit),
                "verdict": item.outcome,
                "over_by": None if item.over is None else text_of(item.over),
                "why": item.why,
            }
            for item in verdicts
        ],
    }
