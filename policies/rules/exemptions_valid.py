"""Every exemption names a rule, a resource, a reason, an owner and a day that has not passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.exemptions import FIELDS, Unreadable, exemptions
from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for entry in exemptions(stack.resources):
        if isinstance(entry, Unreadable):
            yield (CannotTell if entry.unknown else Violation)(entry.declared_by, entry.problem)
        elif not entry.in_force(stack.today):
            yield Violation(
                entry.declared_by,
                f"the exemption from `{entry.rule}` for `{entry.resource}` ended on {entry.until}, owner {entry.owner}",
            )


RULE: Final = StackRule(
    name="exemptions-valid",
    title="Exemptions are complete and have not ended",
    why="An exemption without reason, owner or end outlives what it was made for, and nobody notices.",
    fix=f"Give it {', '.join(FIELDS[:-1])} and {FIELDS[-1]} (the last day, YYYY-MM-DD); when it has ended, mend the "
    "finding and remove the exemption, or agree on a new day with its owner.",
    reads="the fact exemptions",
    severity=Severity.MEDIUM,
    check=check,
    exemptible=False,
)
