"""A document as plain text that needs no colour."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.render.document import Block, Document, Heading, Notes, Table, Totals
from gpucluster.cost.render.grid import grid
from gpucluster.cost.render.layout import Layout


def as_text(document: Document, width: int) -> str:
    """Blocks separated by empty lines. width: characters per line."""
    layout = Layout(width)
    lines = layout.under("", ": ".join(filter(None, (document.title, document.basis))))
    for block in document.blocks():
        lines += ["", *_lines(block, layout)]
    return "\n".join(lines)


def _lines(block: Block, layout: Layout) -> Iterator[str]:
    match block:
        case Table():
            yield from grid(block, layout.width)
        case Totals():
            for what, amount in block.rows:
                yield from layout.total(what, amount)
        case Notes():
            if block.heading:
                yield from layout.under("", block.heading)
            for text in block.brief or block.texts:
                yield from layout.wrapped("  -", text)
            if block.verbatim:
                sentence, *lines = block.verbatim
                yield from layout.under("  ", sentence)
                yield from (f"    {line}" for line in lines)
        case Heading():
            yield from layout.under("", block.text)
        case str():
            yield from layout.under("", block)
