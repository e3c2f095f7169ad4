"""Verdicts for a terminal: the result first, then what failed, what can't be told, and what passed."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

import click

from gpucluster.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, MEASURED, PASS, WARN, Outcome, Verdict, worst

__all__ = ["ORDER", "headline", "text_report"]

ORDER: Final[tuple[Outcome, ...]] = (FAIL, CANNOT_TELL, WARN, PASS, MEASURED)
_COLOURS: Final[dict[Outcome, str]] = {
    FAIL: "red",
    CANNOT_TELL: "yellow",
    WARN: "yellow",
    PASS: "green",
    MEASURED: "blue",
}
_LEAST_WIDTH: Final = 60


def headline(verdicts: Sequence[Verdict]) -> str:
    """The result in one line: fail names the nodes."""
    counts = [f"{count} {outcome}" for outcome in ORDER if (count := _count(verdicts, outcome))]
    nodes = list(dict.fromkeys(node for verdict in verdicts if verdict.outcome == FAIL for node in verdict.nodes))
    named = f"; look at {', '.join(nodes)}" if nodes else ""
    return f"Acceptance: {worst(verdicts)} ({', '.join(counts)}){named}"


def text_report(verdicts: Sequence[Verdict], *, width: int) -> str:
    """width: columns of the terminal; narrower ones than 60 are written as 60. Colours are click's to strip."""
    lines = [headline(verdicts), ""]
    for outcome in ORDER:
        for verdict in verdicts:
            if verdict.outcome == outcome:
                lines += _lines(verdict, max(width, _LEAST_WIDTH))
    return "\n".join(lines)


def _lines(verdict: Verdict, width: int) -> Iterator[str]:
    wanted = f", wanted {verdict.wanted}" if verdict.wanted else ""
    figures = f": {verdict.measured or 'nothing measured'}{wanted}" if verdict.measured or verdict.wanted else ""
    word = click.style(f"{verdict.outcome:<11}", fg=_COLOURS[verdict.outcome])
    indent = " " * 13
    first, *rest = textwrap.wrap(f"{verdict.check}{figures}", width - len(indent)) or [""]
    yield f"{word}  {first}"
    where = f"{verdict.log}:{verdict.line}" if verdict.log else ""
    for text in (*rest, *textwrap.wrap(verdict.why, width - len(indent)), where):
        if text:
            yield f"{indent}{text}"


def _count(verdicts: Sequence[Verdict], outcome: Outcome) -> int:
    return sum(verdict.outcome == outcome for verdict in verdicts)
