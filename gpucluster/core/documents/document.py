"""One answer for every format: sections for users, a model for machines, and rows for spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # a preview needs neither models nor charts
    from gpucluster.core.documents.charts import Figure
    from gpucluster.core.documents.model import Model


WIDEST: Final = 108
"""Characters per line if no terminal gives its width: in a pipe, a file, the engine's diagnostics."""
LONGEST: Final = 65_536
"""GitHub's limit of a comment."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of a table, texts below them, and below these the lines to copy, which do not wrap.

    strong: a heading or sum of the rows after it, up to the next strong one. amount: for the sum of omitted rows.
    bad: red on a terminal.
    """

    cells: Sequence[str]
    below: Sequence[str] = ()
    strong: bool = False
    amount: Decimal = Decimal(0)
    lines: Sequence[str] = ()
    bad: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows under their heads.

    sums: the last rows, the first ones in a comment. left: left-aligned columns; the others contain figures, and are
    right-aligned. wide: the column that takes the remaining width; None: no cell wraps. even: all but the first column
    have the same width. detail: if set, a page folds the rows below each strong one, and Markdown folds all of them
    under this summary. more: the text in place of rows without room in a comment. drawn: whether a page has a figure
    in its place. caption: what the table shows. across: whether
    texts below rows take the whole width of a terminal. stacked: the columns that a terminal writes below their rows
    where they have no room, the first one first.
    """

    heads: Sequence[str]
    rows: Sequence[Row] = ()
    sums: Sequence[Row] = ()
    left: Collection[int] = (0,)
    wide: int | None = 0
    even: bool = False
    detail: str = ""
    more: Callable[[Sequence[Row]], str] = lambda rows: f"{len(rows):,} more"
    drawn: bool = False
    caption: str = ""
    across: bool = False
    stacked: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Notes:
    """A list. heading may be empty.

    marks: one for each text instead of a dash. lines: lines to copy, after the sentence that introduces them.
    brief: the texts on a terminal. folded: whether a comment folds it.
    """

    heading: str
    texts: Sequence[str]
    marks: Sequence[str] = ()
    lines: Sequence[str] = ()
    brief: Sequence[str] = ()
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """The subject of the sections after it."""

    text: str


@dataclass(frozen=True, slots=True)
class Folded:
    """Sections that Markdown folds under a summary. They get the room that the others leave in a comment, which omits
    what does not fit.
    """

    summary: str
    sections: Sequence[Section]


Section = str | Heading | Table | Notes | Folded
"""A plain text is a paragraph."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """How a document fits into a comment.

    marker: (kind, stack) of a line that identifies it. headed: whether the title is a heading above the answer.
    longest: most bytes. elsewhere: where the reader finds what is omitted, as Markdown.
    """

    marker: tuple[str, str] | None = None
    headed: bool = False
    longest: int = LONGEST
    elsewhere: str = ""


@dataclass(frozen=True, kw_only=True)
class Document:
    """Each part is created when a format needs it.

    title: the first line. basis: of every amount, the rest of that line. answer: the whole in one sentence. outcome:
    a verdict, which colours a page's answer. model: for JSON. rows: columns and rows of a CSV. figures: of a page,
    before the sections. totals: of a page's header, if no table has sums. comment: if its Markdown is a comment.
    origin: (name, value) of what the end of a page says about its making.
    """

    title: str
    sections: Callable[[], Iterable[Section]]
    model: Callable[[], Model | Mapping[str, Any]]
    basis: str = ""
    answer: str = ""
    totals: Callable[[], Iterable[Row]] = tuple
    outcome: str = ""
    rows: Callable[[], tuple[Sequence[str], Iterable[Mapping[str, Any]]]] = lambda: ((), ())
    figures: Callable[[], Iterable[Figure]] = tuple
    comment: Comment | None = None
    origin: Sequence[tuple[str, str]] = ()


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: Collection[int] = (0,),
    wide: int | None = 0,
    stacked: Sequence[int] = (),
) -> Table:
    """A table without sums."""
    return Table(heads=heads, rows=[Row(cells) for cells in rows], left=left, wide=wide, stacked=stacked)


QUOTED: Final = re.compile("\ue000([0-9]+) (.*?)\ue001", re.DOTALL)
"""Between private characters, which no writer prints."""


def quoted(text: str, most: int = 80) -> str:
    """A name or text of others inside a sentence: code in Markdown, cut to `most` characters; unmarked elsewhere."""
    return f"\ue000{most} {text.translate({0xE000: None, 0xE001: None})}\ue001"


def quote_code(text: str) -> str:
    """A sentence of this package, in which backticks mark names."""
    return re.sub("`([^`]+)`", lambda found: quoted(found[1]), text)


def unquoted(text: str) -> str:
    """The text without the marks of quotations."""
    return QUOTED.sub(r"\2", text) if "\ue000" in text else text


def counted(number: int, what: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."
