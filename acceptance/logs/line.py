"""Log lines without the prefixes of launchers and log collectors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# Prefixes of the tool's own text, outermost first. Sources: kubectl logs --prefix and --timestamps; Open MPI's mpirun
# --tag-output ([1,0]<stdout>:) and --timestamp-output (Thu Jul 18 15:41:05 2024<stdout>:); torchrun --tee 3 ([node0]:);
# srun --label (0: ).
_PREFIXES: Final = tuple(
    map(
        re.compile,
        (
            r"\[pod/(?P<node>[^/\]]+)/[^\]]+\] ",
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d) ",
            r"\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}(?:\[[\d,]+\])?<std(?:out|err)>:",
            r"\d+: (?=#| *\d+ +\d+ )",
            r"\[\d+,\d+\]<std(?:out|err)>: ?",
            r"\[(?P<node>[A-Za-z][\w.-]*?\d*)\]:",
        ),
    )
)
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Line:
    """number: from 1. text: the tool's output. pod: its source, if the collector adds it."""

    number: int
    text: str
    pod: str | None = None


def lines(text: str) -> Iterator[Line]:
    """Every line; carriage returns also end one, because progress counters overwrite themselves."""
    for number, raw in enumerate(text.split("\n"), start=1):
        rest, pod = _COLOUR.sub("", raw.rstrip("\r")).rsplit("\r", 1)[-1], None
        for prefix in _PREFIXES:
            match = prefix.match(rest)
            if match:
                rest, pod = rest[match.end() :], pod or match.groupdict().get("node")
        yield Line(number, rest, pod)
