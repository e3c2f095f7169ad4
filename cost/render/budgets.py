"""Verdicts on limits, for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gpucluster.cost.budgets import Verdict
from gpucluster.cost.money import at_least, money
from gpucluster.cost.render.grid import grid
from gpucluster.cost.render.json import SCHEMA_VERSION, text_of
from gpucluster.cost.render.layout import WIDEST

__all__ = ["budgets_json", "budgets_table"]

_TESTS: Final = {"expected": "expected", "ceiling": "at the most"}


def budgets_table(verdicts: Sequence[Verdict], width: int = WIDEST) -> str:
    """A row for each limit, and how many are kept. width: characters of a line."""
    rows = [
        [
            f"{item.scope}, {_TESTS[item.test]}",
            at_least(item.amount, complete=item.complete),
            money(item.limit),
            item.outcome if item.over is None else f"over by {money(item.over)}",
        ]
        for item in verdicts
    ]
    lines = list(grid(["USD a month", "amount", "limit", "verdict"], rows, width))
    lines += [f"  - {item.scope}, {_TESTS[item.test]}: {item.why}" for item in verdicts if item.why]
    counts = {
        outcome: sum(item.outcome == outcome for item in verdicts) for outcome in ("within", "over", "cannot tell")
    }
    lines += ["", ", ".join(f"{number} {outcome}" for outcome, number in counts.items() if number)]
    return "\n".join(lines)


def budgets_json(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """A document of plain values, in the order of the limits. Money is text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "verdicts": [
            {
                "scope": item.scope,
                "test": item.test,
                "amount": text_of(item.amount),
                "complete": item.complete,
                "limit": text_of(item.limit),
                "verdict": item.outcome,
                "over_by": None if item.over is None else text_of(item.over),
                "why": item.why,
            }
            for item in verdicts
        ],
    }
