"""Verdicts for a terminal: the result first, then failed, undecided and passed checks."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.operate.acceptance.inventory import Inventory, NodeFacts
from gpucluster.operate.acceptance.verdicts.verdict import (
    CANNOT_TELL,
    FAIL,
    MEASURED,
    PASS,
    WARN,
    Outcome,
    Verdict,
    worst,
)

ORDER: Final[tuple[Outcome, ...]] = (FAIL, CANNOT_TELL, WARN, PASS, MEASURED)
_LEAST_WIDTH: Final = 60


def headline(verdicts: Sequence[Verdict]) -> str:
    """The result in one line: a failure lists the nodes."""
    counts = [f"{count} {outcome}" for outcome in ORDER if (count := _count(verdicts, outcome))]
    nodes = list(dict.fromkeys(node for verdict in verdicts if verdict.outcome == FAIL for node in verdict.nodes))
    named = f"; check {', '.join(nodes)}" if nodes else ""
    return f"Acceptance: {worst(verdicts)} ({', '.join(counts)}){named}"


def text_report(verdicts: Sequence[Verdict], inventory: Inventory, *, width: int) -> str:
    """width: columns of the terminal; fewer than 60 count as 60."""
    lines = [headline(verdicts), ""]
    for outcome in ORDER:
        for verdict in verdicts:
            if verdict.outcome == outcome:
                lines += _lines(verdict, max(width, _LEAST_WIDTH))
    return "\n".join([*lines, *_annex(inventory, max(width, _LEAST_WIDTH))])


def _lines(verdict: Verdict, width: int) -> Iterator[str]:
    wanted = f", wanted {verdict.wanted}" if verdict.wanted else ""
    figures = f": {verdict.measured or 'nothing measured'}{wanted}" if verdict.measured or verdict.wanted else ""
    indent = " " * 13
    first, *rest = textwrap.wrap(f"{verdict.check}{figures}", width - len(indent)) or [""]
    yield f"{verdict.outcome:<11}  {first}"
    where = f"{verdict.log}:{verdict.line}" if verdict.log else ""
    for text in (*rest, *textwrap.wrap(verdict.why, width - len(indent)), where):
        if text:
            yield f"{indent}{text}"


def _annex(inventory: Inventory, width: int) -> Iterator[str]:
    """The measured hardware and the measuring software."""
    if inventory.tools or inventory.nodes:
        yield ""
    if inventory.tools:
        yield from textwrap.wrap(f"Measured by {', '.join(inventory.tools)}", width)
    for node in inventory.nodes:
        yield node.name
        for words in (node_software(node), node_serials(node)):
            yield from textwrap.wrap(words, width, initial_indent="  ", subsequent_indent="  ")


def node_software(node: NodeFacts) -> str:
    """The node's software, by the names of its sources."""
    return ", ".join(f"{name} {version}" for name, version in node.software.items())


def node_serials(node: NodeFacts) -> str:
    """Its GPUs; empty if no log contains their serial numbers."""
    told = ", ".join(f"{number}: {serial}" for number, serial in sorted(node.serials.items()))
    return f"serial numbers of GPUs {told}" if told else ""


def _count(verdicts: Sequence[Verdict], outcome: Outcome) -> int:
    return sum(verdict.outcome == outcome for verdict in verdicts)
