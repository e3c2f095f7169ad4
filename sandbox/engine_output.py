"""Passes the engine's output on when it is not a terminal, without printing the program's messages twice.

Outside a terminal the engine prints each message of a program line by line while it runs, as rows of the stack, and
again whole under Diagnostics at the end. The rows are dropped; nothing else is touched. In a terminal the engine itself
redraws them, and it gets the real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_ESCAPES: Final = re.compile(rb"\x1b\[[0-9;]*m")
_STACK_ROW: Final = re.compile(rb"^ [ +~\-=<>*]{1,3} *pulumi:pulumi:Stack \S+ ?(?P<rest>.*)$")
# What the engine says of the stack itself: an operation, a count of messages, or both.
_STATUS: Final = re.compile(
    rb"^ *(?:running|creat(?:e|ing|ed)|updat(?:e|ing|ed)|delet(?:e|ing|ed)|refresh(?:ing|ed)?|read(?:ing)?"
    rb"|import(?:ing|ed)?|same|unchanged)? *"
    rb"(?:\(\d[\w.]*\))? *"
    rb"(?:\*\*[^*]+\*\*)? *"
    rb"(?:\d+ (?:messages?|warnings?|errors?|failures?)[;,]? *)*$"
)


def without_echoes(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that are not an echo of a message which follows whole."""
    for line in lines:
        row = _STACK_ROW.match(_ESCAPES.sub(b"", line).rstrip(b"\r\n"))
        if row is None or _STATUS.match(row["rest"]):
            yield line
