"""A document as text for terminals, files and the engine's diagnostics."""

from __future__ import annotations

import io
import itertools
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment, Segments
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text

from gpucluster.core.documents.document import WIDEST, Document, Folded, Heading, Notes, Row, Section, Table, unquoted
from gpucluster.core.text.terminal import plain

_NAME: Final = 24
"""Minimum characters of the wide column, if it has as many."""
_LABEL: Final = 33
"""Most characters of the first column of an even table; the others are never narrower than their words."""
_BOLD: Final = Style(bold=True)
_BAD: Final = Style(bold=True, color="red")


def as_text(document: Document, width: int, *, styled: bool = False) -> str:
    """Sections separated by empty lines. width: characters per line; only words and amounts that do not fit exceed
    it. styled: sums are bold, and bad rows red.
    """
    heading = ": ".join(filter(None, (document.title, document.basis)))
    sections = [*filter(None, (heading, document.answer)), *document.sections()]
    return "\n\n".join(_text([*_parts(section)], width, styled=styled) for section in sections)


def _text(parts: Sequence[RenderableType], width: int, *, styled: bool) -> str:
    out = io.StringIO()
    console = Console(
        file=out, width=width, color_system="standard" if styled else None, force_terminal=styled, highlight=False,
        markup=False, emoji=False,
        legacy_windows=False,
    )  # fmt: skip
    for part in parts:
        console.print(part, crop=False, soft_wrap=isinstance(part, Text) and part.no_wrap is True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _parts(section: Section) -> Iterator[RenderableType]:
    match section:
        case Table():
            yield _Lines(section)
        case Notes():
            if section.heading:
                yield Text(_shown(section.heading))
            texts = section.brief or section.texts
            marks = section.marks or ["-"] * len(texts)
            if texts:
                listed = Grid.grid(padding=(0, 1, 0, 0))
                for mark, text in zip(marks, texts, strict=True):
                    listed.add_row(Text(_shown(f"  {mark}"), no_wrap=True), Text(_shown(text), overflow="fold"))
                yield listed
            if section.lines:
                sentence, *lines = section.lines
                yield Padding(Text(_shown(sentence)), (0, 0, 0, 2))
                yield from (Text(_shown(f"    {line}"), no_wrap=True) for line in lines)
        case Folded():
            yield Text(_shown(section.summary))
            for number, one in enumerate(section.sections):
                yield from ([Text("")] if number else [])
                yield from _parts(one)
        case Heading():
            yield Text(_shown(section.text))
        case str():
            yield Text(_shown(section))


def _shown(text: str) -> str:
    """Without control characters: styles follow only here."""
    return plain(unquoted(text))


@dataclass(frozen=True)
class _Row:
    cells: Sequence[str]
    style: Style | None = None


@dataclass
class _Column:
    """The fewest and the most characters of the cells of a column, and as many as rich gives it.

    rich measures, wraps and pads every cell apart, which takes 0.1 ms. So it gets each column once, to find its width,
    and then all rows that fit and follow each other as one cell of lines.
    """

    left: bool
    least: int
    most: int
    width: int = 0

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(self.least, self.most)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.width = options.max_width
        yield Text("")

    def fits(self, cell: str) -> bool:
        return cell_len(cell) <= self.width and "\n" not in cell

    def lines(self, cells: Iterable[str], styles: Iterable[Style | None]) -> Segments:
        aligned = (cell if self.left else " " * (self.width - cell_len(cell)) + cell for cell in cells)
        return Segments(map(Segment, aligned, styles), new_lines=True)


@dataclass(frozen=True)
class _Lines:
    """A table in a console."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = _stacked(self.table, options.max_width)
        rows = [*_rows(table)]
        heads = table.heads or [""] * len((*table.rows, *table.sums)[0].cells)
        whole = [row.cells for row in rows if isinstance(row, _Row)]
        columns = [_column(table, at, head, {cells[at] for cells in whole}) for at, head in enumerate(heads)]
        probe = _grid(table, heads, columns, options.max_width)
        probe.add_row(*columns)
        console.render_lines(probe, options)
        wide = options.update_width(sum(column.width + 2 for column in columns))
        grid = _grid(table, heads, columns)
        for fits, group in itertools.groupby(
            rows, lambda row: isinstance(row, _Row) and all(map(_Column.fits, columns, row.cells))
        ):
            if fits:
                fitting = [row for row in group if isinstance(row, _Row)]
                styles = [row.style for row in fitting]
                cells = zip(*(row.cells for row in fitting), strict=True)
                grid.add_row(*(column.lines(shown, styles) for column, shown in zip(columns, cells, strict=True)))
            else:
                for row in group:
                    if isinstance(row, _Row):
                        grid.add_row(*map(_cell, row.cells), style=row.style)
                    else:
                        yield from console.render(grid, wide)
                        yield from console.render(row, options)
                        grid = _grid(table, [""] * len(heads), columns)
        yield from console.render(grid, wide)


def _rows(table: Table) -> Iterator[_Row | RenderableType]:
    """Cells, with empty rows between groups, indented below the strong row of their group; and what is across all
    columns.
    """
    rows = [*table.rows, *table.sums]
    grouped, summed = (any(row.strong for row in part) for part in (table.rows, table.sums))
    below = "" if table.wide is None and not table.across else "    "
    for number, row in enumerate(rows):
        blank = [""] * (len(row.cells) - 1)
        if number and grouped and ((row.strong and number < len(table.rows)) or number == len(table.rows)):
            yield _Row(["", *blank])
        inside = grouped if number < len(table.rows) else summed
        indent = "  " if inside and not row.strong else ""
        first, *others = map(_shown, row.cells)
        yield _Row([f"{indent}{first}", *others], _BAD if row.bad else _BOLD if row.strong else None)
        for text in row.below:
            shown = f"{indent}{below}{_shown(text)}"
            yield _cell(shown) if table.across else _Row([shown, *blank])
        for line in row.lines:
            yield Text(_shown(f"{indent}{below}{line}"), no_wrap=True, overflow="ignore")


def _stacked(table: Table, room: int) -> Table:
    """The table with as many of its stacked columns below their rows as the others need room. No word is split.

    Files have lines of any length, and get the table as it is.
    """
    if not table.stacked or room >= WIDEST:
        return table
    columns = [_column(table, at, head, ()) for at, head in enumerate(table.heads)]
    needed = [
        max(column.least, min(_NAME, column.most)) if at == table.wide else column.most
        for at, column in enumerate(columns)
    ]
    kept = [*range(len(columns))]
    for at in table.stacked:
        if sum(needed[each] + 2 for each in kept) - 2 <= room:
            break
        kept.remove(at)
    if len(kept) == len(columns):
        return table

    def cells(row: Row) -> Row:
        omitted = (at for at in range(len(columns)) if at not in kept and row.cells[at] not in ("", "-"))
        below = (_shown(f"{table.heads[at]}: {row.cells[at]}") for at in omitted)
        lines = textwrap.wrap("; ".join(below), room - 4, break_long_words=False, break_on_hyphens=False)
        return replace(row, cells=[row.cells[at] for at in kept], lines=[*lines, *row.lines])

    return replace(
        table,
        heads=[table.heads[at] for at in kept],
        rows=[*map(cells, table.rows)],
        sums=[*map(cells, table.sums)],
        left={new for new, at in enumerate(kept) if at in table.left},
        wide=kept.index(table.wide) if table.wide in kept else None,
        across=True,
        stacked=(),
    )


def _cell(text: str) -> RenderableType:
    """Wrapped lines keep the indentation."""
    inner = text.lstrip(" ")
    shown = Text(inner, overflow="fold")
    return Padding(shown, (0, 0, 0, len(text) - len(inner))) if inner != text else shown


def _grid(table: Table, heads: Sequence[str], columns: Sequence[_Column], room: int = 0) -> Grid:
    """With the widths of the columns, if they have one. room: characters of a line.

    Otherwise the wide column takes the remaining width, but at least _NAME; the others wrap only if the line has no
    room otherwise, and never inside a word.
    """
    known = any(column.width for column in columns)
    even: Mapping[int, int] = _even(columns, room) if table.even and not known else {}
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=table.wide is not None and not known,
                show_header=any(heads), header_style="")  # fmt: skip
    for at, (head, column) in enumerate(zip(heads, columns, strict=True)):
        ratio = width = least = most = None
        if known:
            width = column.width
        elif table.even:
            width = even[id(column)]
        elif at == table.wide:
            ratio, width = 1, min(_NAME, max(column.most, len(head)))
        else:
            least, most = column.least, None if table.wide is None else column.most
        grid.add_column(
            Text(_shown(head)),
            justify="left" if column.left else "right",
            vertical="bottom" if table.wide == 0 and not table.even else "top",
            ratio=ratio, width=width, min_width=least, max_width=most,
        )  # fmt: skip
    return grid


def _even(columns: Sequence[_Column], room: int) -> Mapping[int, int]:
    """The widths of an even table, by the id of the column: equal where words have room in all of them."""
    label, *others = columns
    gaps = 2 * len(others)
    widths = {id(label): min(_LABEL, max(_NAME, room - gaps - sum(column.least for column in others)))}
    free = room - gaps - widths[id(label)]
    for left, column in zip(range(len(others), 0, -1), sorted(others, key=lambda one: -one.least), strict=True):
        widths[id(column)] = max(column.least, free // left)
        free -= widths[id(column)]
    return widths


def _column(table: Table, at: int, head: str, shown: Iterable[str]) -> _Column:
    """shown: its cells, with indentation and the texts below rows, which count only in a table that does not wrap."""
    cells = {_shown(row.cells[at]) for row in (*table.rows, *table.sums)}
    words = max((cell_len(word) for word in {word for text in (head, *cells) for word in text.split()}), default=0)
    least = most = max([words, *map(cell_len, cells)])
    if table.wide is None:
        most = max([least, *map(cell_len, shown)])
    return _Column(at in table.left, least if table.wide is None else words, most)
