"""Forwards the engine's output outside a terminal, without the duplicates of the program's messages.

Outside a terminal the engine prints each message of a program twice: line by line while the program runs, as rows of
the stack, and complete under Diagnostics at the end. The rows are dropped; everything else is unchanged. In a terminal
the engine redraws the rows itself; there it gets the real terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_ESCAPES: Final = re.compile(rb"\x1b\[[0-9;]*m")
_STACK_ROW: Final = re.compile(rb"^ [ +~\-=<>*]{1,3} *pulumi:pulumi:Stack \S+ ?(?P<rest>.*)$")
# The engine's status of the stack: an operation, a count of messages, or both.
_STATUS: Final = re.compile(
    rb"^ *(?:running|creat(?:e|ing|ed)|updat(?:e|ing|ed)|delet(?:e|ing|ed)|refresh(?:ing|ed)?|read(?:ing)?"
    rb"|import(?:ing|ed)?|same|unchanged)? *"
    rb"(?:\(\d[\w.]*\))? *"
    rb"(?:\*\*[^*]+\*\*)? *"
    rb"(?:\d+ (?:messages?|warnings?|errors?|failures?)[;,]? *)*$"
)


def without_echoes(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines except those that Diagnostics repeats in full."""
    for line in lines:
        row = _STACK_ROW.match(_ESCAPES.sub(b"", line).rstrip(b"\r\n"))
        if row is None or _STATUS.match(row["rest"]):
            yield line
