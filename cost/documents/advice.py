"""Suggestions that lower the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, computed_field

from gpucluster.core.documents.document import Document, Notes, Section
from gpucluster.core.documents.model import Model
from gpucluster.cost.documents.json_schema import Amount, Answer
from gpucluster.cost.documents.text import plain_number
from gpucluster.cost.pricing.money import money
from gpucluster.cost.purchasing.recommendations import Advice


class Input(Model):
    name: str
    value: Amount
    source: str


class Suggestion(Model):
    kind: str
    subject: str
    text: str
    saves: Amount | None
    once: bool = Field(exclude=True)
    inputs: list[Input]

    @computed_field
    def saves_each(self) -> Literal["whole stay", "month"] | None:
        """The time in which it saves that."""
        return None if self.saves is None else "whole stay" if self.once else "month"


class Suggestions(Answer):
    """The inputs are those of the numbers."""

    advice: list[Suggestion]


def advice_document(found: Sequence[Advice], title: str) -> Document:
    """A list per suggestion, with the inputs of its numbers."""

    def model() -> Suggestions:
        return Suggestions.model_validate({"advice": found})

    return Document(
        title=title,
        basis="at list prices; second opinions on a price are not used",
        sections=lambda: _sections(found),
        model=model,
        rows=lambda: (("kind", "subject", "text", "saves", "saves_each"), model().model_dump()["advice"]),
    )


def _sections(found: Sequence[Advice]) -> Iterator[Section]:
    for number, advice in enumerate(found, 1):
        per = "" if advice.once else " a month"
        saves = "" if advice.saves is None else f" (saves {money(advice.saves)}{per})"
        texts = [f"{item.name}: {plain_number(item.value).replace(',', '')}; {item.source}" for item in advice.inputs]
        yield Notes(f"{number}. {advice.subject}{saves}: {advice.text}", texts)
    if not found:
        yield "No cheaper option at the known prices"
