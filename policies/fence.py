"""Run one rule so that nothing it does is lost.

Unknown is a result of its own; a crash becomes a violation in the rule's name and keeps what the rule had found;
a finding that an exemption accepts is set apart, not dropped.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from policies.exemptions import Exemption, exemptions
from policies.rule import CannotTell, Finding, NotChecked, ReportRule, ResourceRule, Rule, Stack, StackRule, Violation

__all__ = ["Exempted", "Outcome", "failed", "run_report_rule", "run_resource_rule", "run_stack_rule"]


@dataclass(frozen=True)
class Exempted:
    violation: Violation
    exemption: Exemption


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one rule found in one run."""

    rule: Rule
    violations: tuple[Violation, ...] = ()
    unknown: tuple[CannotTell, ...] = ()
    exempted: tuple[Exempted, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()


def run_resource_rule(rule: ResourceRule, check: Callable[[], Iterable[Finding]]) -> Outcome:
    """Run `check`, which applies the rule to one resource."""
    violations, unknown, _ = _collect(check)
    return Outcome(rule=rule, violations=tuple(violations), unknown=tuple(unknown))


def run_stack_rule(rule: StackRule, stack: Callable[[], Stack]) -> Outcome:
    """Run a rule on the stack that `stack` gives; it is called inside the fence."""
    view: list[Stack] = []

    def check() -> Iterable[Finding]:
        view.append(stack())
        return rule.check(view[0])

    violations, unknown, not_checked = _collect(check)
    exempted: list[Exempted] = []
    try:
        if view and rule.exemptible:
            violations, exempted = _apply_exemptions(rule, view[0], violations)
    except Exception as error:
        violations.append(failed(error))
    return Outcome(
        rule=rule,
        violations=tuple(violations),
        unknown=tuple(unknown),
        exempted=tuple(exempted),
        not_checked=tuple(not_checked),
    )


def run_report_rule(rule: ReportRule, check: Callable[[], Iterable[Violation]]) -> Outcome:
    """Run `check`, which applies the rule to what the others found."""
    violations, _, _ = _collect(check)
    return Outcome(rule=rule, violations=tuple(violations))


def failed(error: Exception) -> Violation:
    """The violation a crash becomes: which error and where, not its text, which may hold a secret."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return Violation(
        None,
        f"rule failed: {type(error).__name__} in {Path(place.filename).name}, line {place.lineno}",
        fix="The rule decided nothing: report this as a bug of the rule, with the resource it ran on.",
    )


def _collect(check: Callable[[], Iterable[Finding]]) -> tuple[list[Violation], list[CannotTell], list[NotChecked]]:
    violations: list[Violation] = []
    unknown: list[CannotTell] = []
    not_checked: list[NotChecked] = []
    try:
        for finding in check():
            if isinstance(finding, Violation):
                violations.append(finding)
            elif isinstance(finding, CannotTell):
                unknown.append(finding)
            else:
                not_checked.append(finding)
    except Exception as error:  # whatever a rule raises, the others still run
        violations.append(failed(error))
    return violations, unknown, not_checked


def _apply_exemptions(
    rule: StackRule, stack: Stack, violations: Iterable[Violation]
) -> tuple[list[Violation], list[Exempted]]:
    written = [entry for entry in exemptions(stack.resources) if isinstance(entry, Exemption)]
    kept: list[Violation] = []
    exempted: list[Exempted] = []
    for violation in violations:
        matching = [entry for entry in written if entry.names(rule.name, violation.resource, stack.resources)]
        in_force = next((entry for entry in matching if entry.in_force(stack.today)), None)
        if in_force is None:
            kept.append(violation)
        else:
            exempted.append(Exempted(violation, in_force))
    return kept, exempted
