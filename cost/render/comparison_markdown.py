"""A comparison as Markdown, for pull requests and documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cost.comparison import Comparison
from cost.render.comparison_rows import remarks, sections

__all__ = ["comparison_markdown"]


def comparison_markdown(found: Comparison) -> str:
    """One table of all sections, and lists of what is lost or has no price."""
    return "\n".join(_lines(found))


def _lines(found: Comparison) -> Iterator[str]:
    yield _row("", [_escaped(column.title) for column in found.columns])
    yield "| --- |" + " ---: |" * len(found.columns)
    for section in sections(found):
        yield _row(f"**{_escaped(section.heading)}**", [""] * len(found.columns))
        for label, cells in section.rows:
            yield _row(_escaped(label.strip()), [_escaped(cell) for cell in cells])
    for heading, texts in remarks(found):
        yield ""
        yield f"**{_escaped(heading)}**"
        yield ""
        for text in texts:
            yield f"- {_escaped(text)}"
    yield ""
    yield "List prices in USD a month, before tax, discounts, support and data transfer."


def _row(label: str, cells: Sequence[str]) -> str:
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in [label, *cells])


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    for character in "\\`*_|<>[]":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())
