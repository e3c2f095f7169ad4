"""A comparison for people: plain text, a column a stack."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from gpucluster.cost.comparison import Comparison
from gpucluster.cost.render.comparison_rows import OFFER_HEADS, Section, offer_rows, offers_heading, remarks, sections
from gpucluster.cost.render.grid import grid
from gpucluster.cost.render.layout import WIDEST, Layout

__all__ = ["comparison_table"]

_LABEL: Final = 33
_LEAST: Final = 20
"""Characters of a column at the least; many columns make the table wider."""


def comparison_table(found: Comparison, width: int = WIDEST) -> str:
    """The whole report. width: characters of a line, as `width_for` gives it; many columns take more."""
    layout, cells = Layout(width), max((width - _LABEL) // len(found.columns), _LEAST)
    out = [*layout.under("", "List prices in USD a month, before tax, discounts, support and data transfer"), ""]
    out.extend(_row("", [column.title for column in found.columns], cells))
    for section in sections(found):
        out.extend(_section(section, cells))
    for gpu, ranked in found.offers.items():
        out += ["", *layout.under("", offers_heading(gpu))]
        out.extend(grid(OFFER_HEADS[:-1], [row[:-1] for row in offer_rows(ranked)], width))
        sources = dict.fromkeys(item.said for item in ranked if item.offer)
        out += layout.wrapped("  -", f"offers: {'; '.join(sources)}") if sources else []
    for heading, texts in remarks(found):
        out += ["", heading]
        for text in texts:
            out += layout.wrapped("  -", text)
    return "\n".join(out)


def _section(section: Section, width: int) -> Iterator[str]:
    yield ""
    yield section.heading
    for label, cells in section.rows:
        yield from _row(f"  {label}", cells, width)


def _row(label: str, cells: Sequence[str], width: int) -> Iterator[str]:
    """One row, its cells wrapped within their columns."""
    wrapped = [textwrap.wrap(label, _LABEL, subsequent_indent="    ") or [""]]
    wrapped += [textwrap.wrap(cell, width - 2) or [""] for cell in cells]
    for first, *rest in zip_longest(*wrapped, fillvalue=""):
        yield f"{first:<{_LABEL}}{''.join(f'{cell:>{width}}' for cell in rest)}".rstrip()
