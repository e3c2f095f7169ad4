"""One answer for every format: blocks for users, the model for machines, and its rows for spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from gpucluster.record import record


@record
class Row:
    """Cells as shown, and texts below them. strong: whether it sums up other rows."""

    cells: Sequence[str]
    below: Sequence[str] = ()
    strong: bool = False


@record
class Group:
    """Rows of a table under a common heading."""

    heading: str
    rows: Sequence[Row]


@record(kw_only=True)
class Table:
    """Cells under their heads.

    words: left-aligned columns; the others contain figures, and are right-aligned.
    folded: the column that wraps within the remaining width; None: no wrapping. even: the others have equal widths, and
    wrap too. below: head of the column for texts below a row, if they cannot be placed below. detail: summary of the
    folded list of all rows in a comment, below the strong ones.
    """

    heads: Sequence[str]
    groups: Sequence[Group]
    words: Collection[int] = (0,)
    folded: int | None = 0
    even: bool = False
    below: str = ""
    detail: str = ""


@record
class Totals:
    """(what, amount), the main one first."""

    rows: Sequence[tuple[str, str]]


@record
class Notes:
    """A list. heading may be empty.

    verbatim: lines to copy, after the sentence that introduces them. brief: the texts for limited space.
    """

    heading: str
    texts: Sequence[str]
    verbatim: Sequence[str] = ()
    brief: Sequence[str] = ()


@record
class Heading:
    """The subject of the blocks after it."""

    text: str


Block = str | Heading | Table | Totals | Notes
"""A plain text is a paragraph."""


@record(kw_only=True)
class Document:
    """Each part is created when a format needs it.

    title: the first line. basis: of every amount, the rest of that line. model: plain values in a
    stable order, money as text. rows: of a CSV, by `columns`. drawings: of a page, before the blocks.
    comment: Markdown that fits into a pull request comment, if the blocks may not.
    """

    title: str
    blocks: Callable[[], Iterable[Block]]
    model: Callable[[], Mapping[str, Any]]
    basis: str = ""
    columns: Sequence[str] = ()
    rows: Callable[[], Iterable[Mapping[str, Any]]] = tuple
    drawings: Callable[[], Iterable[str]] = tuple
    comment: Callable[[], str] | None = None


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: Collection[int] = (0,), folded: int | None = 0
) -> Table:
    """A table of one group without a heading."""
    return Table(heads=heads, groups=[Group("", [Row(cells) for cells in rows])], words=words, folded=folded)
