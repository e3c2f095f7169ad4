"""What the other rules could not decide is said, never passed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.policies.rule import Outcome, ReportRule, Severity, Stack, Violation

__all__ = ["RULE"]

_NAMED: Final = 5
"""Resources that are named one by one when one question is open for many."""


def check(outcomes: Sequence[Outcome], _: Stack) -> Iterator[Violation]:
    questions: dict[tuple[str, str], list[str]] = {}
    first: dict[tuple[str, str], Violation] = {}
    for outcome in outcomes:
        for question in outcome.unknown:
            key = (outcome.rule.name, question.what)
            questions.setdefault(key, []).append(question.resource.name if question.resource else "the stack")
            first.setdefault(key, Violation(question.resource, f"{outcome.rule.name} cannot tell: {question.what}"))
    for key, names in questions.items():
        if len(names) == 1:
            yield first[key]
        else:
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            yield Violation(first[key].resource, f"{first[key].what} ({', '.join(names[:_NAMED])}{more})")


RULE: Final = ReportRule(
    name="not-known-yet",
    title="Rules that could not decide",
    why="The rule neither passed nor failed: it needs a value that the cloud gives, or that another stack holds.",
    fix="Values the cloud gives are checked again by `pulumi up`; what another stack holds has to be checked there.",
    reads="the results of the other rules",
    severity=Severity.LOW,
    check=check,
)
