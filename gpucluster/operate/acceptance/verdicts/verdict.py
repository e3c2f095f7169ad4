"""One verdict: the measured value, the required value, and the reason of the outcome."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["pass", "warn", "fail", "cannot tell", "measured"]

PASS: Final[Outcome] = "pass"
WARN: Final[Outcome] = "warn"
FAIL: Final[Outcome] = "fail"
CANNOT_TELL: Final[Outcome] = "cannot tell"
MEASURED: Final[Outcome] = "measured"
"""A figure without a promise or publication: neither good nor bad."""

_WORST: Final[tuple[Outcome, ...]] = (FAIL, CANNOT_TELL, WARN, PASS)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """check: the judged property. measured, wanted: figures with their units, empty if there are none.

    why: one actionable sentence. nodes: those to check. log, line: the source; empty and 0 for
    results of several logs. together: nodes of each run to do next, to find the node.
    """

    check: str
    outcome: Outcome
    why: str
    measured: str = ""
    wanted: str = ""
    nodes: tuple[str, ...] = ()
    log: str = ""
    line: int = 0
    together: tuple[tuple[str, ...], ...] = ()


def nodes_to_check(node: str | None, outcome: Outcome) -> tuple[str, ...]:
    """Of a verdict on one node: the node, if it is known and something is wrong with it."""
    return (node,) if node and outcome in (FAIL, WARN) else ()


def worst(verdicts: Iterable[Verdict]) -> Outcome:
    """The overall outcome: failing overrides unknown, unknown overrides passing; without any verdict it is unknown."""
    outcomes = {verdict.outcome for verdict in verdicts}
    for outcome in _WORST:
        if outcome in outcomes:
            return outcome
    return CANNOT_TELL
