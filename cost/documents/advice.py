"""Suggestions that lower the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gpucluster.cost.advice import Advice
from gpucluster.cost.documents.words.plain import SCHEMA_VERSION, text_of
from gpucluster.cost.money import money
from gpucluster.cost.render.document import Block, Document, Notes


def advice_document(found: Sequence[Advice], title: str) -> Document:
    """A list per suggestion, with the inputs of its numbers."""
    return Document(
        title=title,
        basis="at list prices; second opinions on a price are not used",
        blocks=lambda: _blocks(found),
        model=lambda: _model(found),
        columns=("kind", "subject", "text", "saves", "saves_each"),
        rows=lambda: _model(found)["advice"],
    )


def _blocks(found: Sequence[Advice]) -> Iterator[Block]:
    for number, advice in enumerate(found, 1):
        per = "" if advice.once else " a month"
        saves = "" if advice.saves is None else f" (saves {money(advice.saves)}{per})"
        texts = [f"{item.name}: {text_of(item.value.normalize())}; {item.source}" for item in advice.inputs]
        yield Notes(f"{number}. {advice.subject}{saves}: {advice.text}", texts)
    if not found:
        yield "No cheaper option at the known prices"


def _model(found: Sequence[Advice]) -> dict[str, Any]:
    """A document of plain values, in a stable order. Money is text."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "advice": [
            {
                "kind": advice.kind,
                "subject": advice.subject,
                "text": advice.text,
                "saves": None if advice.saves is None else text_of(advice.saves),
                "saves_each": None if advice.saves is None else "whole stay" if advice.once else "month",
                "inputs": [
                    {"name": item.name, "value": text_of(item.value), "source": item.source} for item in advice.inputs
                ],
            }
            for advice in found
        ],
    }
