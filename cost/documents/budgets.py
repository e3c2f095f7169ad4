"""Verdicts on limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.core.documents.document import Document, Notes, Section, table
from gpucluster.core.documents.model import Model
from gpucluster.cost.documents.json_schema import Amount, Answer, Bound, Known, known
from gpucluster.cost.estimate.budgets import LimitVerdict
from gpucluster.cost.pricing.money import money, ranged

_TESTS: Final = {"expected": "expected", "ceiling": "at the most"}


class Limit(Model):
    scope: str
    test: str
    amount: Bound
    complete: bool
    known: Known
    limit: Amount
    verdict: str
    over_by: Amount | None
    why: str


class Limits(Answer):
    """A verdict on each limit, in the order of the limits."""

    verdicts: list[Limit]


def budgets_document(verdicts: Sequence[LimitVerdict], title: str) -> Document:
    """A row for each limit, and the number of limits kept."""
    columns = ("scope", "test", "amount", "limit", "verdict", "over_by", "why")

    def rows() -> list[dict[str, Any]]:
        return _json(verdicts).model_dump()["verdicts"]

    return Document(
        title=title,
        sections=lambda: _sections(verdicts),
        model=lambda: _json(verdicts),
        rows=lambda: (columns, rows()),
    )


def _sections(verdicts: Sequence[LimitVerdict]) -> Iterator[Section]:
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


def _json(verdicts: Sequence[LimitVerdict]) -> Limits:
    return Limits(
        verdicts=[
            Limit(
                scope=item.scope,
                test=item.test,
                amount=item.amount,
                complete=not item.gap.missing,
                known=known(item.amount, item.gap),
                limit=item.limit,
                verdict=item.outcome,
                over_by=item.over,
                why=item.why,
            )
            for item in verdicts
        ]
    )
