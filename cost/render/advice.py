"""Advice for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpucluster.cost.advice import Advice
from gpucluster.cost.money import money
from gpucluster.cost.render.json import SCHEMA_VERSION, text_of
from gpucluster.cost.render.layout import WIDEST, Layout

__all__ = ["advice_json", "advice_text"]


def advice_text(found: Sequence[Advice], title: str, width: int = WIDEST) -> str:
    """A block for each, with the inputs that its numbers follow from. width: characters of a line."""
    layout = Layout(width)
    lines = layout.under("", f"{title}: at list prices; second opinions on a price give no advice")
    for number, advice in enumerate(found, 1):
        per = "" if advice.once else " a month"
        saves = "" if advice.saves is None else f" (saves {money(advice.saves)}{per})"
        lines += ["", *layout.under("", f"{number}. {advice.subject}{saves}")]
        lines += layout.under("   ", advice.text)
        for item in advice.inputs:
            lines += layout.wrapped("     -", f"{item.name}: {text_of(item.value.normalize())}; {item.source}")
    if not found:
        lines += ["", "Nothing here would cost less at the prices that are known"]
    return "\n".join(lines)


def advice_json(found: Sequence[Advice]) -> dict[str, Any]:
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
