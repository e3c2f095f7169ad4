"""A comparison as Markdown, for pull requests and documents."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.comparison import Comparison
from gpucluster.cost.render.comparison_rows import OFFER_HEADS, offer_rows, offers_heading, remarks, sections
from gpucluster.cost.render.markdown import escaped, row

__all__ = ["comparison_markdown"]


def comparison_markdown(found: Comparison) -> str:
    """One table of all sections, and lists of what is lost or has no price."""
    return "\n".join(_lines(found))


def _lines(found: Comparison) -> Iterator[str]:
    yield row("", *(escaped(column.title) for column in found.columns))
    yield "| --- |" + " ---: |" * len(found.columns)
    for section in sections(found):
        yield row(f"**{escaped(section.heading)}**", *[""] * len(found.columns))
        for label, cells in section.rows:
            yield row(escaped(label.strip()), *map(escaped, cells))
    for gpu, ranked in found.offers.items():
        yield ""
        yield escaped(offers_heading(gpu))
        yield ""
        yield row(*OFFER_HEADS)
        yield "| --- | ---: | --- | --- | --- |"
        for cells in offer_rows(ranked):
            yield row(*map(escaped, cells))
    for heading, texts in remarks(found):
        yield ""
        yield f"**{escaped(heading)}**"
        yield ""
        for text in texts:
            yield f"- {escaped(text)}"
    yield ""
    yield "List prices in USD a month, before tax, discounts, support and data transfer."
