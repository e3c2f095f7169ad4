"""Exempted findings are still reported, every time; so are exemptions that accept nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.policies.engine.exemptions import Exemption, Grant, exemptions
from gpucluster.policies.engine.own_programs import only_counted
from gpucluster.policies.engine.rule import ChangeRule, Outcome, ReportRule, Severity, Stack, Violation
from gpucluster.policies.rules import rules

_IDLE_FIX: Final = (
    "Correct the names of rule and resource, or remove the exemption. An exemption for a resource outside this "
    "component belongs in the component around that resource, or in the pack's configuration."
)
_IGNORED_FIX: Final = (
    "Fix the finding, or have the owner of the pack write the exemption into the pack's configuration."
)


def check(outcomes: Sequence[Outcome], stack: Stack) -> Iterator[Violation]:
    used: list[Exemption] = []
    for outcome in outcomes:
        for accepted in outcome.exempted:
            exemption = accepted.exemption
            used.append(exemption)
            yield Violation(
                accepted.violation.resource,
                f"{outcome.rule.name}: {accepted.violation.what}; "
                f"accepted until {exemption.until} by {exemption.owner}: {exemption.reason}",
            )
        for taken in outcome.accepted:
            if only_counted(outcome, taken.resource, stack.grant):
                continue
            yield Violation(
                taken.resource,
                f"{outcome.rule.name}: {taken.what}; accepted by name: {taken.reason}",
                fix="Change what the reason names, if it must not be accepted.",
            )
        for idle in outcome.idle:
            yield Violation(None, _nothing(idle), fix=_IDLE_FIX)
    # An exemption for a rule about changes waits for its plan, which a policy pack does not see.
    waiting = {rule.name for rule in rules() if isinstance(rule, ChangeRule)}
    for exemption in exemptions(stack.resources):
        if not isinstance(exemption, Exemption):
            continue
        if not stack.grant.counts and exemption.in_force(stack.today, Grant()):
            yield Violation(exemption.declared_by, exemption.refusal(stack.today, stack.grant) or "", fix=_IGNORED_FIX)
        elif exemption.rule not in waiting and exemption.in_force(stack.today, stack.grant) and exemption not in used:
            yield Violation(exemption.declared_by, _nothing(exemption), fix=_IDLE_FIX)


def _nothing(exemption: Exemption) -> str:
    where = "there" if exemption.declared_by is None else "there, inside this component,"
    return (
        f"the exemption from `{exemption.rule}` for `{exemption.resource}` accepts nothing: the rule has no finding "
        f"{where} that can be accepted"
    )


RULE: Final = ReportRule(
    name="exemptions-in-use",
    title="Findings accepted by an exemption",
    why="The finding is back, and may stop a preview, once the exemption ends.",
    fix="Fix the finding before the exemption ends, or agree on a new end.",
    reads="the results of the other rules; the fact exemptions",
    severity=Severity.LOW,
    order=10,
    check=check,
)
