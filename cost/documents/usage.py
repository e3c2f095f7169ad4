"""The values that a usage file can set."""

from __future__ import annotations

from gpucluster.core.documents.document import Document, table
from gpucluster.core.documents.model import Model, Versioned
from gpucluster.cost.documents.json_schema import Amount
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.rates import usage_words


class Default(Model):
    value: Amount
    words: str


class UsageNames(Versioned):
    """Every name with its default."""

    usage: dict[str, Default]


def usage_document() -> Document:
    """Every name that the file and --assume accept, with its default."""
    default, words = Assumptions(), usage_words()
    found = {name: Default(value=default.amount(name), words=words[name]) for name in Assumptions.names()}
    rows = [(name, f"{one.value:f} {one.words}") for name, one in found.items()]
    return Document(
        title="",
        sections=lambda: [table(["", ""], rows, left={0, 1}, wide=None)],
        model=lambda: UsageNames(usage=found),
    )
