"""One judgement: what was measured, what was wanted, and why it passes or not."""

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
"""A figure that nothing was promised or published for: neither good nor bad."""

_WORST: Final[tuple[Outcome, ...]] = (FAIL, CANNOT_TELL, WARN, PASS)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """check: what was judged. measured, wanted: figures with their units, empty where there is none.

    why: one sentence that a person can act on. nodes: those to look at. log, line: where it was read; empty and 0 for
    what several logs say together.
    """

    check: str
    outcome: Outcome
    why: str
    measured: str = ""
    wanted: str = ""
    nodes: tuple[str, ...] = ()
    log: str = ""
    line: int = 0


def worst(verdicts: Iterable[Verdict]) -> Outcome:
    """The outcome of the whole: failing beats not knowing, not knowing beats passing; nothing judged is not known."""
    told = {verdict.outcome for verdict in verdicts}
    for outcome in _WORST:
        if outcome in told:
            return outcome
    return CANNOT_TELL
