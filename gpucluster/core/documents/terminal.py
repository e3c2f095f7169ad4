"""A document as plain text, without colours, for terminals, files and the engine's diagnostics."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from gpucluster.core.documents.document import Document, Folded, Heading, Notes, Section, Table, unquoted

_NAME: Final = 24
"""Minimum characters of the wide column, if it has as many."""
_LABEL, _LEAST = 33, 18
"""Characters of the first column of an even table, and the least of the others."""


def as_text(document: Document, width: int) -> str:
    """Sections separated by empty lines. width: characters per line; only words and amounts that do not fit exceed
    it.
    """
    heading = ": ".join(filter(None, (document.title, document.basis)))
    sections = [*filter(None, (heading, document.answer)), *document.sections()]
    return "\n\n".join(_text([*_parts(section)], width) for section in sections)


def _text(parts: Sequence[RenderableType], width: int) -> str:
    out = io.StringIO()
    console = Console(
        file=out, width=width, color_system=None, force_terminal=False, highlight=False, markup=False, emoji=False,
        legacy_windows=False,
    )  # fmt: skip
    for part in parts:
        console.print(part, crop=False, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _parts(section: Section) -> Iterator[RenderableType]:
    match section:
        case Table():
            yield _grid(section)
        case Notes():
            if section.heading:
                yield Text(unquoted(section.heading))
            texts = section.brief or section.texts
            marks = section.marks or ["-"] * len(texts)
            if texts:
                listed = Grid.grid(padding=(0, 1, 0, 0))
                for mark, text in zip(marks, texts, strict=True):
                    listed.add_row(Text(f"  {mark}", no_wrap=True), Text(unquoted(text), overflow="fold"))
                yield listed
            if section.lines:
                sentence, *lines = section.lines
                yield Padding(Text(sentence), (0, 0, 0, 2))
                yield from (Text(f"    {line}", no_wrap=True) for line in lines)
        case Folded():
            yield Text(unquoted(section.summary))
            for number, one in enumerate(section.sections):
                yield from ([Text("")] if number else [])
                yield from _parts(one)
        case Heading():
            yield Text(unquoted(section.text))
        case str():
            yield Text(unquoted(section))


def _grid(table: Table) -> Grid:
    rows = [*table.rows, *table.sums]
    heads = table.heads or [""] * len(rows[0].cells)
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=table.wide is not None,
                show_header=any(heads))  # fmt: skip
    for at, head in enumerate(heads):
        _add_column(grid, table, at, head, [unquoted(row.cells[at]) for row in rows])
    grouped, summed = (any(row.strong for row in part) for part in (table.rows, table.sums))
    below = "" if table.wide is None else "    "
    for number, row in enumerate(rows):
        if number and grouped and ((row.strong and number < len(table.rows)) or number == len(table.rows)):
            grid.add_row()
        inside = grouped if number < len(table.rows) else summed
        indent = 2 if inside and not row.strong else 0
        first, *others = row.cells
        grid.add_row(_indented(first, indent), *(Text(unquoted(cell)) for cell in others))
        for text in row.below:
            grid.add_row(_indented(text, indent + len(below)))
    return grid


def _indented(text: str, indent: int) -> RenderableType:
    return (
        Padding(Text(unquoted(text), overflow="fold"), (0, 0, 0, indent))
        if indent
        else Text(unquoted(text), overflow="fold")
    )


def _add_column(grid: Grid, table: Table, at: int, head: str, cells: Sequence[str]) -> None:
    """The wide column takes the remaining width, but at least _NAME; the others wrap only if the line has no room
    otherwise, and never inside a word.
    """
    widths = [*map(cell_len, cells)] or [0]
    words = [cell_len(word) for text in (head, *cells) for word in text.split()] or [0]
    justify = "left" if at in table.left else "right"
    vertical = "bottom" if table.wide == 0 and not table.even else "top"
    ratio = width = least = most = None
    if table.even:
        ratio, width = (None, _LABEL) if at == 0 else (1, _LEAST)
    elif table.wide is None:
        least = max(*widths, max(words))
    elif at == table.wide:
        ratio, width = 1, min(_NAME, max(*widths, len(head)))
    else:
        least, most = max(words), max(*widths, max(words))
    grid.add_column(
        Text(head), justify=justify, vertical=vertical, ratio=ratio, width=width, min_width=least, max_width=most
    )
