"""A program without required labels or a budget gets a finding and does not pass silently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.policies.engine.rule import Outcome, ReportRule, Severity, Stack, Violation


def check(outcomes: Sequence[Outcome], _: Stack) -> Iterator[Violation]:
    missing = dict.fromkeys(nothing.what for outcome in outcomes for nothing in outcome.not_checked)
    if missing:
        yield Violation(None, f"{' / '.join(f'no {what}' for what in missing)} stated: not checked")


RULE: Final = ReportRule(
    name="not-checked",
    title="The program declares required labels and a budget",
    why="Without them, the rules about labels and budget neither passed nor failed.",
    fix="Register requiredLabels and budget as outputs of a component, or set `required-labels` and `budget` in the "
    "pack's configuration; disable the rules you do not need.",
    reads="the results of the other rules",
    severity=Severity.LOW,
    order=20,
    check=check,
)
