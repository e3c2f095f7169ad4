"""Column positions of the table, on a line of a given width."""

from __future__ import annotations

import os
import textwrap
from typing import Final, TextIO

from gpucluster.record import record

WIDEST: Final = 108
"""Characters per line if no terminal states its width: in a pipe, a file, the engine's diagnostics."""
NARROWEST: Final = 76
"""Below this amounts would be cut, so lines wrap instead. With the engine's indentation it fits 80 columns."""

_QUANTITY, _PRICE, _MARK, _AMOUNT = 17, 12, 5, 18


def width_for(stream: TextIO | None = None, *, indent: int = 0) -> int:
    """The width of a table in the terminal of `stream`, overridden by COLUMNS; WIDEST if it is not a terminal.

    stream: None for a program, which writes to the engine: only COLUMNS applies there.
    `gpucluster sandbox pulumi` sets it.
    indent: characters before each line. A wider terminal gets no wider table, in which rows are hard to follow.
    """
    if stream is not None and not stream.isatty():
        return WIDEST
    columns = os.environ.get("COLUMNS", "")
    have = int(columns) if columns.isdecimal() else 0
    if not have and stream is not None:
        have = os.get_terminal_size(stream.fileno()).columns
    return min(max(have - indent, NARROWEST), WIDEST) if have else WIDEST


@record
class Layout:
    """width: characters per line. Amounts are at its end; long texts wrap, and only names are cut."""

    width: int

    def row(self, name: str, resource: str, quantity: str, price: str, mark: str, amount: str) -> str:
        """A line of the table; `resource` is in brackets, cut to its column together with the name."""
        room = self.width - _QUANTITY - _PRICE - _MARK - _AMOUNT
        return (
            f"{_cut(name, resource, room):<{room}}{quantity:>{_QUANTITY}}{price:>{_PRICE}} "
            f"{mark:<{_MARK - 1}}{amount:>{_AMOUNT}}"
        )

    def total(self, name: str, amount: str) -> list[str]:
        """A name and an amount at the end of its last line."""
        room = self.width - len(amount) - 1
        whole = _fits(name, room)
        *above, last = [name] if whole else textwrap.wrap(name, room, subsequent_indent="  ")
        return [*above, f"{last:<{self.width - len(amount)}}{amount}"]

    def wrapped(self, mark: str, text: str) -> list[str]:
        """A mark and a text, with continuation lines aligned to the first."""
        return self._fold(f"{mark} {text}", "", " " * (len(mark) + 1))

    def under(self, start: str, text: str) -> list[str]:
        """A text whose every line begins with `start`."""
        return self._fold(text, start, start)

    def _fold(self, text: str, first: str, further: str) -> list[str]:
        if _fits(text, self.width - len(first)):
            return [f"{first}{text}"]
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=first,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _fits(text: str, room: int) -> bool:
    """Whether a text fits on one line unchanged: the answer of `textwrap` at a hundredth of its cost."""
    return len(text) <= room and text.isprintable() and text == text.strip() != ""


def _cut(name: str, resource: str, room: int) -> str:
    """Cuts the resource's name first, and at its beginning: the part's title contains the beginning, and only the end
    distinguishes resources of a part.
    """
    text = f"{name} ({resource})" if resource else name
    if len(text) <= room:
        return text
    left = room - len(f"{name} (…)")
    if resource and left > 0:
        return f"{name} (…{resource[-left:]})"
    return name if len(name) <= room else f"{name[: room - 1]}…"
