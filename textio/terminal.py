"""Output to a terminal. Names, types, tags and messages come from plans, states, logs and specs of others.

A terminal executes the control characters in them: it moves, hides or rewrites text, and some of them reverse
its direction. Only `Program` removes them, for all commands: standard output and standard error of its commands
contain no control character except line ends and tabs. JSON already escapes them.
"""

from __future__ import annotations

import io
import re
import sys
import unicodedata
from typing import Any, Final, TextIO

import click

_ODD: Final = re.compile(r"[^\n\t -~]")
_CONTROLS: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters, format characters such as direction marks, lone surrogates, and line and
paragraph separators."""


def plain(text: str) -> str:
    """The text with every control character in Python's escaped form, such as \\x1b; line ends and tabs stay."""
    return _ODD.sub(lambda found: _shown(found[0]), text)


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _CONTROLS:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


class _Plain(io.TextIOWrapper):
    """A stream over the bytes of another. It writes UTF-8 immediately, and all text as plain text."""

    def __init__(self, beneath: TextIO) -> None:
        super().__init__(beneath.buffer, encoding="utf-8", write_through=True)
        self.beneath = beneath

    def write(self, text: str, /) -> int:
        super().write(plain(text))
        return len(text)

    def close(self) -> None:
        """Leaves the bytes open: they belong to the underlying stream."""
        self.flush()


def beneath(stream: TextIO) -> TextIO:
    """The original stream, for our own styles around text that is already plain."""
    return stream.beneath if isinstance(stream, _Plain) else stream


class Program(click.Group):
    """The commands of a console script."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        sys.stdout, sys.stderr = (_Plain(beneath(stream)) for stream in (sys.stdout, sys.stderr))
        return super().main(*args, **kwargs)
