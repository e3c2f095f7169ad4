"""Reports rules that were not evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.core.program.resources import Resource
from gpucluster.policies.engine.own_programs import only_counted
from gpucluster.policies.engine.rule import Outcome, ReportRule, Severity, Stack, Violation

_NAMED: Final = 5
"""Maximum of resources to list if one question is open for many."""


def check(outcomes: Sequence[Outcome], stack: Stack) -> Iterator[Violation]:
    """A line for each question, with every rule and every resource for which it is open."""
    about: dict[tuple[str, str], dict[str, Resource | None]] = {}
    for outcome in outcomes:
        for question in outcome.unknown:
            if only_counted(outcome, question.resource, stack.grant):
                continue
            name = question.resource.name if question.resource else "the stack"
            about.setdefault((question.what, outcome.rule.name), {}).setdefault(name, question.resource)
    rules: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (what, rule), resources in about.items():
        rules.setdefault((what, tuple(resources)), []).append(rule)
    for (what, names), asking in rules.items():
        first = about[what, asking[0]][names[0]]
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        where = f" ({', '.join(names[:_NAMED])}{more})" if len(names) > 1 else ""
        yield Violation(first, f"{_listed(asking)} not evaluated: {what}{where}")


def _listed(rules: Sequence[str]) -> str:
    return rules[0] if len(rules) == 1 else f"{', '.join(rules[:-1])} and {rules[-1]}"


RULE: Final = ReportRule(
    name="not-known-yet",
    title="Rules that were not evaluated",
    why="The rule neither passed nor failed: it needs a value that the cloud assigns, or that another stack holds.",
    fix="`pulumi up` checks values that the cloud assigns; check values of another stack in that stack.",
    reads="the results of the other rules",
    severity=Severity.LOW,
    order=40,
    check=check,
)
