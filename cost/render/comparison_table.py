"""A comparison for people: plain text, a column a stack."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from cost.comparison import Comparison
from cost.render.comparison_rows import Section, remarks, sections
from cost.render.table import WIDTH

__all__ = ["comparison_table"]

_LABEL: Final = 33
_LEAST: Final = 20
"""Characters of a column at the least; many columns make the table wider."""


def comparison_table(found: Comparison) -> str:
    """The whole report."""
    width = max((WIDTH - _LABEL) // len(found.columns), _LEAST)
    out = [
        "List prices in USD, before tax, discounts, support and data transfer; capacity bought elsewhere with it",
        "",
    ]
    out.extend(_row("", [column.title for column in found.columns], width))
    for section in sections(found):
        out.extend(_section(section, width))
    for heading, texts in remarks(found):
        out += ["", heading]
        for text in texts:
            out += textwrap.wrap(
                f"  - {text}", WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
            )
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
