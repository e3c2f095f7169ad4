"""Where the columns of the table stand, on a line of a given width."""

from __future__ import annotations

import os
import textwrap
from typing import Final, TextIO

from gpucluster.record import record

WIDEST: Final = 108
"""Characters of a line where no terminal says how many it has: in a pipe, a file, the engine's diagnostics."""
NARROWEST: Final = 76
"""Below this amounts would be cut, so lines are left to wrap. With the engine's indentation it fits 80 columns."""

_QUANTITY, _PRICE, _MARK, _AMOUNT = 17, 12, 5, 18


def width_for(stream: TextIO | None = None, *, indent: int = 0) -> int:
    """The width of a table in the terminal behind `stream`, which COLUMNS corrects; WIDEST where that is no terminal.

    stream: None for a program, which writes to the engine: there COLUMNS alone tells.
    `gpucluster sandbox pulumi` sets it.
    indent: what stands before each line. A wider terminal gets no wider table: the eye would lose the row.
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
    """width: characters of a line. Amounts stand at its end; what is too long is folded, and only names are cut."""

    width: int

    def row(self, name: str, resource: str, quantity: str, price: str, mark: str, amount: str) -> str:
        """A line of the table; `resource` goes into brackets, cut to its column together with the name."""
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
        """A mark and a text, whose further lines begin where its first does."""
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
    """Whether a text is a line as it is: what `textwrap` would find at a hundred times the price."""
    return len(text) <= room and text.isprintable() and text == text.strip() != ""


def _cut(name: str, resource: str, room: int) -> str:
    """The resource's name is cut first, and from its beginning: the part's title says how it begins, and only its end
    tells the part's resources from each other.
    """
    text = f"{name} ({resource})" if resource else name
    if len(text) <= room:
        return text
    left = room - len(f"{name} (…)")
    if resource and left > 0:
        return f"{name} (…{resource[-left:]})"
    return name if len(name) <= room else f"{name[: room - 1]}…"
