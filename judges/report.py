"""Verdicts on one plan, and their counts by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gpucluster.judges.verdict import Outcome, Verdict


@dataclass(frozen=True, kw_only=True)
class Report:
    """file: as the user named it."""

    file: str
    verdicts: Sequence[Verdict]

    def of(self, outcome: Outcome) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.outcome is outcome]

    @cached_property
    def counts(self) -> dict[str, Counter[Outcome]]:
        """Name of a judge, empty for none -> the number of accepted, refused and unjudged resources."""
        found: dict[str, Counter[Outcome]] = {}
        for verdict in self.verdicts:
            found.setdefault(verdict.judge, Counter())[verdict.outcome] += 1
        return found
