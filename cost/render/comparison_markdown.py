"""A comparison as Markdown, for pull requests and documents."""

from __future__ import annotations

from collections.abc import Iterator

from cost.comparison import Comparison
from cost.render.comparison_rows import OFFER_HEADS, offer_rows, offers_heading, remarks, sections
from cost.render.markdown import row

__all__ = ["comparison_markdown"]


def comparison_markdown(found: Comparison) -> str:
    """One table of all sections, and lists of what is lost or has no price."""
    return "\n".join(_lines(found))


def _lines(found: Comparison) -> Iterator[str]:
    yield row("", *(_escaped(column.title) for column in found.columns))
    yield "| --- |" + " ---: |" * len(found.columns)
    for section in sections(found):
        yield row(f"**{_escaped(section.heading)}**", *[""] * len(found.columns))
        for label, cells in section.rows:
            yield row(_escaped(label.strip()), *map(_escaped, cells))
    for gpu, ranked in found.offers.items():
        yield ""
        yield _escaped(offers_heading(gpu))
        yield ""
        yield row(*OFFER_HEADS)
        yield "| --- | ---: | --- | --- | --- |"
        for cells in offer_rows(ranked):
            yield row(*map(_escaped, cells))
    for heading, texts in remarks(found):
        yield ""
        yield f"**{_escaped(heading)}**"
        yield ""
        for text in texts:
            yield f"- {_escaped(text)}"
    yield ""
    yield "List prices in USD a month, before tax, discounts, support and data transfer."


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    for character in "\\`*_|<>[]":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())
