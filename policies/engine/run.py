"""Runs rules without losing any finding.

Unknown is a separate result; a crash becomes a violation of the rule and keeps the previous findings;
an exempted finding is kept separately, not dropped.
"""

from __future__ import annotations

import datetime
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.engine.exemptions import FIELDS, Exemption, Grant, Unreadable, configured, exemptions
from gpucluster.policies.engine.rule import (
    EXEMPTIONS,
    Accepted,
    CannotTell,
    ChangeRule,
    Changes,
    Exempted,
    Finding,
    NotChecked,
    Outcome,
    ReportRule,
    ResourceRule,
    Rule,
    Stack,
    StackRule,
    Violation,
)
from gpucluster.policies.engine.settings import DISABLED, Settings


def evaluate(
    rules: Sequence[Rule],
    resources: Resources,
    changes: Changes | None = None,
    *,
    today: datetime.date,
    settings: Settings | None = None,
    grant: Grant | None = None,
) -> list[Outcome]:
    """One outcome per enabled rule on resources from a file, as in a policy run; report rules last.

    changes: of a plan; without them no rule for changes runs. grant: which exemptions of programs count, by
    default all.
    """
    settings = settings or Settings()
    for view in (resources, *([changes.before, changes.after] if changes is not None else [])):
        view.settings = settings.all
    outcomes: list[Outcome] = []
    reports: list[Outcome] = []
    for rule in sorted(rules, key=lambda rule: isinstance(rule, ReportRule)):
        if settings.levels.get(rule.name) == DISABLED:
            continue
        stack = Stack(
            resources=resources,
            config=settings.configs.get(rule.name, {}),
            today=today,
            grant=grant or Grant(),
            before=changes.before if changes else None,
        )
        if isinstance(rule, ResourceRule):
            outcomes.append(run_resource_rule(rule, *resources))
        elif isinstance(rule, StackRule):
            outcomes.append(run_stack_rule(rule, stack))
        elif isinstance(rule, ReportRule):
            reports.append(run_report_rule(rule, outcomes, stack))
        elif isinstance(rule, ChangeRule) and changes is not None:
            outcomes.append(_run_change_rule(rule, changes, stack))
    return [*outcomes, *reports]


def run_resource_rule(rule: ResourceRule, *resources: Resource) -> Outcome:
    """Run a rule on each resource; a crash on one leaves the others."""
    return _collect(rule, *(partial(rule.check, resource) for resource in resources))


def run_stack_rule(rule: StackRule, stack: Stack) -> Outcome:
    """Run a rule on the stack."""
    outcome = _collect(rule, lambda: rule.check(stack))
    return _exempted(outcome, stack) if rule.accepts else outcome


def run_report_rule(rule: ReportRule, outcomes: Sequence[Outcome], stack: Stack) -> Outcome:
    """Run a rule on the outcomes of the others."""
    return _collect(rule, lambda: rule.check(outcomes, stack))


def _run_change_rule(rule: ChangeRule, changes: Changes, stack: Stack) -> Outcome:
    """Ended resources are not in the new stack, but exemptions declared around them still accept their loss."""
    outcome = _collect(rule, lambda: rule.check(changes))
    around = {resource.urn: resource for resource in (*changes.before, *stack.resources)}
    return _exempted(outcome, replace(stack, resources=Resources(around.values())))


class _NoFinding(TypeError):
    """What the rule of a company yields instead; the message has no values of the program."""


def _failed(error: BaseException) -> Violation:
    """The violation for a crash: error type and place, without its text, which may hold a secret."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"
    return Violation(
        None,
        f"rule failed: {error if isinstance(error, _NoFinding) else what}",
        fix="The rule has no result: report this as a bug of the rule, with the resource it ran on.",
    )


def _collect(rule: Rule, *checks: Callable[[], Iterable[Finding]]) -> Outcome:
    found: list[Finding] = []
    for check in checks:
        try:
            with redirect_stdout(sys.stderr) if rule.folder else nullcontext():  # a company's rule may print
                for finding in _checked(check()):
                    found.append(finding)  # one by one: findings before a crash are kept
        except DamagedTable:  # no cost rule can decide, and none may pass: the whole run stops
            raise
        except (Exception, SystemExit) as error:  # on any other error, the other rules still run
            found.append(_failed(error))
    return Outcome(
        rule=rule,
        violations=tuple(finding for finding in found if isinstance(finding, Violation)),
        unknown=tuple(finding for finding in found if isinstance(finding, CannotTell)),
        not_checked=tuple(finding for finding in found if isinstance(finding, NotChecked)),
        accepted=tuple(finding for finding in found if isinstance(finding, Accepted)),
    )


def _checked(findings: Any) -> Iterator[Finding]:
    """Findings with the types that they state, which nothing else checks of a company's rule."""
    if not isinstance(findings, Iterable):
        raise _NoFinding(
            f"its check returns {type(findings).__name__}; yield a Violation or CannotTell for each problem"
        )
    for finding in cast("Iterable[Any]", findings):
        if not isinstance(finding, Violation | CannotTell | NotChecked | Accepted):
            raise _NoFinding(f"it yields a {type(finding).__name__}; yield a Violation or CannotTell")
        about: Any = None if isinstance(finding, NotChecked) else finding.resource
        text: Any = finding.reason if isinstance(finding, Accepted) else finding.what
        if not isinstance(about, Resource | None) or not isinstance(text, str) or not text.strip():
            raise _NoFinding(
                f"its {type(finding).__name__} needs a Resource or None, and a text that says what is wrong"
            )
        yield finding


def _exempted(outcome: Outcome, stack: Stack) -> Outcome:
    """The outcome with exempted findings kept separately."""
    in_config = stack.config.get(EXEMPTIONS)
    if not outcome.violations and not in_config:
        return outcome
    try:
        return _apply_exemptions(outcome, stack, list(configured(outcome.rule.name, in_config)))
    except Exception as error:
        return replace(outcome, violations=(*outcome.violations, _failed(error)))


def _apply_exemptions(outcome: Outcome, stack: Stack, in_config: list[Exemption | Unreadable]) -> Outcome:
    entries = (*in_config, *exemptions(stack.resources))
    written = [entry for entry in entries if isinstance(entry, Exemption)]
    kept: list[Violation] = [*_refused(in_config, stack)]
    exempted: list[Exempted] = []
    for violation in outcome.violations:
        matching = [entry for entry in written if entry.names(outcome.rule.name, violation.resource, stack.resources)]
        in_force = next((entry for entry in matching if entry.in_force(stack.today, stack.grant)), None)
        if in_force is None:
            kept.append(violation)
        else:
            exempted.append(Exempted(violation, in_force))
    used = [accepted.exemption for accepted in exempted]
    idle = [
        entry
        for entry in in_config
        if isinstance(entry, Exemption) and entry.in_force(stack.today, stack.grant) and entry not in used
    ]
    return replace(outcome, violations=tuple(kept), exempted=tuple(exempted), idle=tuple(idle))


def _refused(in_config: list[Exemption | Unreadable], stack: Stack) -> Iterator[Violation]:
    """Entries of the pack's configuration that accept nothing: `exemptions-valid` checks only those of components."""
    fix = f"Give it {', '.join(FIELDS[1:-1])} and {FIELDS[-1]} in the pack's configuration, or remove it there."
    for entry in in_config:
        if isinstance(entry, Unreadable):
            yield Violation(None, f"in the pack's configuration, {entry.problem}", fix=fix)
        elif refusal := entry.refusal(stack.today, stack.grant):
            yield Violation(None, f"in the pack's configuration, {refusal}", fix=fix)
