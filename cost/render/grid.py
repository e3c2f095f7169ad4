"""A table as text: one column uses the remaining width, the others are as wide as their widest cell."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from gpucluster.cost.render.document import Row, Table

_GAP: Final = 2
_FIRST: Final = 24
"""Minimum characters of the wrapped column, if it has as many."""
_LABEL, _LEAST = 33, 20
"""Minimum characters of the first column of an even table, and of the others: with many columns it is wider."""

Cells = Sequence[Sequence[str]]
"""The lines of each cell."""


def grid(table: Table, width: int) -> Iterator[str]:
    """A line for the heads, one or more for each row, and the texts below it.

    Other cells wrap only if they are ranges, after their `to`, and the line has no room otherwise. Heads wrap to the
    width of their widest cell. width: characters per line; narrow lines are exceeded rather than cutting an
    amount.
    """
    rows = [row.cells for group in table.groups for row in group.rows]
    if table.even:
        columns = len(table.heads) - 1
        sizes = [_LABEL, *[max((width - _LABEL) // columns, _LEAST)] * columns]
        folded = [[_folded(cell, size, at) for at, (cell, size) in enumerate(zip(row, sizes, strict=True))]
                  for row in rows]  # fmt: skip
    else:
        sizes, folded = _fitted(table, rows, width)
    lines: Iterator[Cells] = iter(folded)
    yield from _lines(_heads(table, sizes), sizes, table)
    for group in table.groups:
        if group is not table.groups[0] or table.even:
            yield ""
        if group.heading:
            yield group.heading
        for row in group.rows:
            cells = next(lines)
            if table.folded == 0 and not table.even:  # the others are on the last line of the name
                yield from cells[0][:-1]
                cells = [cells[0][-1:], *cells[1:]]
            yield from _lines(cells, sizes, table)
            yield from _below(row, width)


def _fitted(table: Table, rows: Sequence[Sequence[str]], width: int) -> tuple[list[int], list[Cells]]:
    """Characters of each column with the gap before it, and the cells in lines."""
    at = table.folded
    sizes = _widths(table, rows)
    if at is None:
        return sizes, [[[cell] for cell in row] for row in rows]
    least = min(_FIRST, max(len(row[at]) for row in (table.heads, *rows)))
    if least + sum(sizes) - sizes[at] > width:
        rows = [[cell if n == at else cell.replace(" to ", " to\n") for n, cell in enumerate(row)] for row in rows]
        sizes = _widths(table, rows)
    gap = _GAP if at else 0
    sizes[at] = max(width - sum(sizes) + sizes[at], least + gap)
    room = sizes[at] - gap
    return sizes, [
        [_name(cell, room, "" if at else "  ") if n == at else cell.split("\n")
         for n, cell in enumerate(row)]
        for row in rows
    ]  # fmt: skip


def _name(cell: str, room: int, indent: str) -> list[str]:
    """Continuation lines are slightly indented."""
    if len(cell) <= room:
        return [cell]
    start = " " * (len(cell) - len(cell.lstrip())) + indent
    return textwrap.wrap(cell, room, subsequent_indent=start, break_on_hyphens=False)


def _widths(table: Table, rows: Sequence[Sequence[str]]) -> list[int]:
    """Width of each column, all but the first including the gap before it."""
    return [
        (_GAP if at else 0)
        + max(len(part) for part in (*head.split(), "", *(part for row in rows for part in row[at].split("\n"))))
        for at, head in enumerate(table.heads)
    ]


def _folded(cell: str, size: int, at: int) -> list[str]:
    return textwrap.wrap(cell, size - _GAP if at else size, subsequent_indent="" if at else "    ") or [""]


def _heads(table: Table, sizes: Sequence[int]) -> Cells:
    """Wrapped, and aligned at the bottom."""
    folded = [
        textwrap.wrap(head, size - (_GAP if at else 0))
        for at, (head, size) in enumerate(zip(table.heads, sizes, strict=True))
    ]
    tall = max(map(len, folded))
    return [[""] * (tall - len(cell)) + cell for cell in folded]


def _lines(cells: Cells, sizes: Sequence[int], table: Table) -> Iterator[str]:
    """The lines of a row, its cells side by side."""
    for line in zip_longest(*cells, fillvalue=""):
        text = ""
        for at, (cell, size) in enumerate(zip(line, sizes, strict=True)):
            text += f"{' ' * _GAP if at else ''}{cell}".ljust(size) if at in table.words else f"{cell:>{size}}"
        yield text.rstrip()


def _below(row: Row, width: int) -> Iterator[str]:
    for text in row.below:
        yield from textwrap.wrap(text, width, initial_indent="      ", subsequent_indent="        ")
