"""Every exemption names an existing rule, a resource, a reason, an owner and a valid, near end date."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.engine.exemptions import FIELDS, Unreadable, exemptions
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation


def check(stack: Stack) -> Iterator[Finding]:
    for entry in exemptions(stack.resources):
        if isinstance(entry, Unreadable):
            yield (CannotTell if entry.unknown else Violation)(entry.declared_by, entry.problem)
        elif refusal := entry.refusal(stack.today):
            yield Violation(entry.declared_by, refusal)


RULE: Final = StackRule(
    name="exemptions-valid",
    title="Exemptions are complete, and end within a year",
    why="An exemption without a reason, owner or end silently outlives its purpose. One for `*` accepts findings that "
    "nobody has seen yet.",
    fix=f"Give it {', '.join(FIELDS[:-1])} and {FIELDS[-1]} (the last day, YYYY-MM-DD, at most 366 days ahead, 31 for "
    "`*`); when it has ended, fix the finding and remove the exemption, or agree on a new day with its owner.",
    reads="the fact exemptions",
    spec="exemptions",
    severity=Severity.MEDIUM,
    enforcement=Enforcement.MANDATORY,
    order=180,
    check=check,
    exemptible=False,
)
