"""Rows of cells as text: the first column takes what is left, the others are as wide as their widest cell."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

__all__ = ["grid"]

_GAP = 2


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """A line for the heads, one or more for each row; the first cell of a row is folded, the others never are.

    Heads are folded to the words of their widest cell. width: characters of a line; narrow ones are exceeded rather
    than an amount cut.
    """
    others = range(1, len(heads))
    wide = [max(len(row[at]) for row in rows) if rows else 0 for at in range(len(heads))]
    for at in others:
        wide[at] = max([wide[at], *(len(word) for word in heads[at].split())])
    first = max(width - sum(wide[at] + _GAP for at in others), min(24, max(wide[0], len(heads[0]))))
    folded = [textwrap.wrap(heads[0], first), *(textwrap.wrap(heads[at], wide[at]) for at in others)]
    tall = max(len(cell) for cell in folded)
    cells = [[""] * (tall - len(cell)) + cell for cell in folded]
    for line in range(tall):
        yield _line([cell[line] for cell in cells], first, wide)
    for row in rows:
        names = textwrap.wrap(row[0], first, subsequent_indent="  ") or [""]
        yield from names[:-1]
        yield _line([names[-1], *row[1:]], first, wide)


def _line(cells: Sequence[str], first: int, wide: Sequence[int]) -> str:
    rest = "".join(f"{'':{_GAP}}{cell:>{wide[at]}}" for at, cell in enumerate(cells) if at)
    return f"{cells[0]:<{first}}{rest}".rstrip()
