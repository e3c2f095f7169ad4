"""Every exemption names an existing rule, a resource, a reason, an owner and a valid, near end date."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.core.program.resources import Resources
from gpucluster.policies.engine.exemptions import FIELDS, GRANT_SETTINGS, Exemption, Grant, Unreadable, exemptions
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation


def check(stack: Stack) -> Iterator[Finding]:
    # Ignored ones are reported with those in use.
    grant = stack.grant if stack.grant.counts else Grant()
    ends = _ends(stack.before if grant.computed is None else None)
    for entry in exemptions(stack.resources):
        if isinstance(entry, Unreadable):
            yield (CannotTell if entry.unknown else Violation)(entry.declared_by, entry.problem)
        elif refusal := entry.refusal(stack.today, grant):
            yield Violation(entry.declared_by, refusal)
        elif (before := ends.get(entry.identity, entry.until)) < entry.until:
            yield CannotTell(
                entry.declared_by,
                f"the end of the exemption from `{entry.rule}` for `{entry.resource}` moved from {before} to "
                f"{entry.until} since the last update, by hand or computed in each run, which `gpucluster guardrails "
                "pr-check` can tell",
            )


def _ends(before: Resources | None) -> Mapping[object, datetime.date]:
    entries = () if before is None else exemptions(before)
    return {entry.identity: entry.until for entry in entries if isinstance(entry, Exemption)}


RULE: Final = StackRule(
    name="exemptions-valid",
    title="Exemptions are complete, and end within a year",
    why="An exemption without a reason, owner or end silently outlives its purpose. One for `*` accepts findings that "
    "nobody has seen yet.",
    fix=f"Give it {', '.join(FIELDS[:-1])} and {FIELDS[-1]} (the last day, YYYY-MM-DD, at most 366 days ahead, 31 for "
    "`*`); when it has ended, fix the finding and remove the exemption, or agree on a new day with its owner. The "
    "settings of this rule say whose exemptions in programs count, from which rules and how long.",
    reads="the fact exemptions",
    spec="exemptions",
    severity=Severity.MEDIUM,
    enforcement=Enforcement.MANDATORY,
    order=180,
    check=check,
    exemptible=False,
    config=GRANT_SETTINGS,
)
