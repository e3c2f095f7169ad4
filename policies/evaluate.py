"""Runs a pack's rules on resources from a file, with the same results as a policy run."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

from gpucluster.policies.changes import Changes
from gpucluster.policies.engine.settings import DISABLED, Settings
from gpucluster.policies.rule import ChangeRule, Finding, Outcome, ReportRule, ResourceRule, Rule, Stack, StackRule
from gpucluster.policies.run_rule import run_change_rule, run_report_rule, run_resource_rule, run_stack_rule
from gpucluster.program.resources import Resource, Resources


def evaluate(
    rules: Sequence[Rule],
    resources: Resources,
    changes: Changes | None = None,
    *,
    today: datetime.date,
    settings: Settings | None = None,
    program_exemptions: bool = True,
) -> list[Outcome]:
    """One outcome per enabled rule, report rules last.

    changes: of a plan; without them no rule for changes runs. program_exemptions: whether those of programs count.
    """
    settings = settings or Settings()

    def seen_by(rule: Rule) -> Stack:
        config = settings.configs.get(rule.name, {})
        return Stack(resources=resources, config=config, today=today, program_exemptions=program_exemptions)

    enabled = [rule for rule in rules if settings.levels.get(rule.name) != DISABLED]
    outcomes: list[Outcome] = []
    for rule in enabled:
        if isinstance(rule, ResourceRule):
            outcomes.append(_on_every_resource(rule, resources))
        elif isinstance(rule, StackRule):
            outcomes.append(run_stack_rule(rule, lambda rule=rule: seen_by(rule)))
        elif isinstance(rule, ChangeRule) and changes is not None:
            outcomes.append(run_change_rule(rule, changes, seen_by(rule)))
    reports = [
        run_report_rule(rule, lambda rule=rule: rule.check(outcomes, seen_by(rule)))
        for rule in enabled
        if isinstance(rule, ReportRule)
    ]
    return [*outcomes, *reports]


def _on_every_resource(rule: ResourceRule, resources: Resources) -> Outcome:
    """Errors are caught per resource, as in a policy run."""

    def on(resource: Resource) -> Iterable[Finding]:
        return rule.check(resource)

    parts = [run_resource_rule(rule, lambda resource=resource: on(resource)) for resource in resources]
    return Outcome(
        rule=rule,
        violations=tuple(violation for part in parts for violation in part.violations),
        unknown=tuple(finding for part in parts for finding in part.unknown),
    )
