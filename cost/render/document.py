"""One answer for every form: blocks for people, the model for machines, and its rows for spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from gpucluster.record import record


@record
class Row:
    """Cells as they are shown, and texts that belong below them. strong: whether it sums others up."""

    cells: Sequence[str]
    below: Sequence[str] = ()
    strong: bool = False


@record
class Group:
    """Rows of a table that have a heading of their own."""

    heading: str
    rows: Sequence[Row]


@record(kw_only=True)
class Table:
    """Cells under their heads.

    words: columns that begin at the left; the others are of figures, and end at the right.
    folded: the column that takes what a line leaves; None: nothing is folded. even: the others are of one width, and
    folded too. below: head of the column that texts below a row become, where they can't stand below. detail: what a
    comment calls all rows where it shows the strong ones first, and folds them.
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
    """(what, amount), the first the one that a reader came for."""

    rows: Sequence[tuple[str, str]]


@record
class Notes:
    """A list. heading may be empty.

    verbatim: lines to copy as they are, after the sentence that they begin with. brief: the texts where space is dear.
    """

    heading: str
    texts: Sequence[str]
    verbatim: Sequence[str] = ()
    brief: Sequence[str] = ()


@record
class Heading:
    """What the blocks after it are of."""

    text: str


Block = str | Heading | Table | Totals | Notes
"""A text alone is a paragraph."""


@record(kw_only=True)
class Document:
    """Each part is made when a form asks for it.

    title: the first line. basis: what every amount is, the rest of that line. model: plain values in a
    stable order, money as text. rows: of a CSV, by `columns`. drawings: of a page, before the blocks.
    comment: Markdown that fits into a comment on a pull request, where the blocks may not.
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
