"""Verdicts of a real API server in one run, by kind."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import Final


class Outcome(Enum):
    """The result for one object; the value is the text before a list of kinds.

    ACCEPTED, REFUSED: by an update, or by the dry run of a plan. UNCHECKED: the server has no definition of its kind.
    POSTPONED: by a plan, whose kind or namespace the same plan creates. SIMULATED: a chart.
    """

    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNCHECKED = "unchecked but by the sandbox's own rules, for want of a definition"
    POSTPONED = "judged by an up only, which makes what they need"
    SIMULATED = "charts, simulated without the objects inside"


_SHOWN: Final = (Outcome.ACCEPTED, Outcome.UNCHECKED)


class Verdict:
    """The last result of each object; used by several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._outcomes: dict[tuple[str, str], Outcome] = {}
        self._refusals: dict[tuple[str, str], str] = {}

    def record(self, token: str, id_: str, outcome: Outcome) -> None:
        """Records an outcome; that of an update replaces that of the plan."""
        with self._lock:
            self._outcomes[token, id_] = outcome

    def record_refusal(self, token: str, id_: str, why: str) -> None:
        """Records an object of an earlier run in the simulated cluster that the server does not accept."""
        with self._lock:
            self._refusals[token, id_] = why

    def lines(self, version: str) -> Iterator[str]:
        """The report as text lines. version: of the API server."""
        kinds = {outcome: Counter[str]() for outcome in Outcome}
        for (token, _), outcome in self._outcomes.items():
            kinds[outcome][_kind(token)] += 1
        if not self._outcomes and not self._refusals:
            yield f"Real Kubernetes API server {version}: no objects to validate"
            return
        counted = (
            f"{found.total()} {outcome.name.lower()}"
            for outcome, found in kinds.items()
            if found or outcome in _SHOWN
            if outcome is not Outcome.SIMULATED
        )
        yield f"Real Kubernetes API server {version}: {', '.join(counted)}"
        for outcome, found in kinds.items():
            if found:
                yield f"  {outcome.value}: {', '.join(f'{count} {kind}' for kind, count in sorted(found.items()))}"
        for (token, id_), why in self._refusals.items():
            yield f"  stands since an earlier run, and would be refused: {_kind(token)} {id_}: {why}"


def _kind(token: str) -> str:
    group_version, kind = token.removeprefix("kubernetes:").rsplit(":", 1)
    group = group_version.split("/")[0]
    return f"{kind}.{group}" if "." in group else kind
