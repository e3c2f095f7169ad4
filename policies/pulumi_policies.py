"""A pack's rules as Pulumi policies.

The enforcement level belongs to a policy, not to a finding. So what a mandatory rule cannot decide, and what an
exemption accepts, must not be reported under its own name: the results are kept on a board, and the report rules,
which are advisory and run last, tell them.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyComplianceFramework,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy import Severity as PulumiSeverity

from gpucluster.policies.clock import today
from gpucluster.policies.fence import run_report_rule, run_resource_rule, run_stack_rule
from gpucluster.policies.message import message
from gpucluster.policies.pack import Pack
from gpucluster.policies.remediation import RemediatingPolicy
from gpucluster.policies.rule import (
    ChangeRule,
    Enforcement,
    Finding,
    Outcome,
    ReportRule,
    ResourceRule,
    Rule,
    Stack,
    StackRule,
    Violation,
)
from gpucluster.policies.settings import misspelt
from gpucluster.program.readers.policy import resource_of, resources_of
from gpucluster.program.resources import Resource, Resources

__all__ = ["to_policies"]


# A program without any labels has one finding per resource.
_IN_FULL: Final = 3


@dataclass
class _Board:
    """What the policies of one process tell each other; a new run replaces what the last one wrote.

    outcomes: the last outcome of every rule, of a resource rule per resource.
    resources: URN -> the resource, as the first resource rule saw it, and the rules that have looked at it.
    today: tells the day that exemptions are held against.
    run: resources of the run, as the first policy of it saw them. asked: rules that have looked at them.
    """

    outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict[tuple[str, str], Outcome])
    resources: dict[str, tuple[Resource, set[str]]] = field(default_factory=dict[str, tuple[Resource, set[str]]])
    today: Callable[[], datetime.date] = today
    run: Resources | None = None
    asked: set[str] = field(default_factory=set[str])

    def stack(self, rule: Rule, args: StackValidationArgs) -> Stack:
        resources = self._resources(rule, args)
        return Stack(resources=resources, config=args.get_config(), today=self.today(), secrets_marked=False)

    def _resources(self, rule: Rule, args: StackValidationArgs) -> Resources:
        """Those of this run, read once: `serve` shows them to the first policy of a run alone.

        A rule that comes back starts a run, since each runs once: that of a stack without resources.
        """
        if self.run is None or args.resources or rule.name in self.asked:
            self.run = resources_of(args, {urn: resource.inputs for urn, (resource, _) in self.resources.items()})
            self.asked.clear()
        self.asked.add(rule.name)
        return self.run

    def resource(self, rule: Rule, args: ResourceValidationArgs) -> Resource:
        """The resource of this call, read once: `serve` shows it to the first policy of a call alone.

        A rule that comes back to a resource starts a call, as one does that shows any property.
        """
        found = self.resources.get(args.urn)
        if found is None or rule.name in found[1] or dict(args.props):
            found = self.resources[args.urn] = resource_of(args), set()
        found[1].add(rule.name)
        return found[0]

    def keep(self, outcome: Outcome, urn: str = "") -> None:
        self.outcomes[outcome.rule.name, urn] = outcome

    def of(self, stack: Stack) -> list[Outcome]:
        """Outcomes about this stack; resources that are gone since are left out."""
        return [
            outcome
            for (_, urn), outcome in list(self.outcomes.items())
            if not urn or stack.resources.get(urn) is not None
        ]


def to_policies(pack: Pack, today: Callable[[], datetime.date] = today) -> list[Policy]:
    """The pack's rules as policies; those about change are none, and the last one says so.

    Report rules come last. Resource rules come first: `serve` shows a resource to the first policy alone, and one that
    only mends resources would look at it for nobody.
    """
    board = _Board(today=today)
    seen = (rule for rule in pack.rules if not isinstance(rule, ChangeRule))
    ordered = sorted(seen, key=lambda rule: (isinstance(rule, ReportRule), not isinstance(rule, ResourceRule)))
    return [
        _policy(rule, pack.enforcement(rule), board, _not_run(pack) if rule is ordered[-1] else None)
        for rule in ordered
    ]


def _not_run(pack: Pack) -> str | None:
    """What the engine shows under its diagnostics; not a finding, since nothing is wrong."""
    count = len(pack.change_rules)
    if count == 0:
        return None
    return (
        f"{pack.name}: {count} rules about deletions and replacements cannot run in a preview; "
        "`gpucluster guardrails check` runs them on its plan (preview --json --show-sames)"
    )


def _policy(rule: Rule, enforcement: Enforcement, board: _Board, last_line: str | None) -> Policy:
    metadata: dict[str, Any] = {
        "name": rule.name,
        "description": rule.title,
        "enforcement_level": EnforcementLevel(enforcement.value),
        "severity": PulumiSeverity(rule.severity.value),
        "remediation_steps": rule.fix,
    }
    if rule.frameworks:
        first = rule.frameworks[0]
        metadata["framework"] = PolicyComplianceFramework(
            name=first.name, specification=first.specification, reference=first.reference
        )
    if isinstance(rule, ResourceRule):
        return ResourceValidationPolicy(validate=_validate_resource(rule, board), **metadata)
    if isinstance(rule, StackRule):
        if rule.settings:
            metadata["config_schema"] = PolicyConfigSchema({name: dict(of) for name, of in rule.settings.items()})
        if rule.remedy is not None:
            return RemediatingPolicy(validate=_validate_stack(rule, board), remedy=rule.remedy[1], **metadata)
        return StackValidationPolicy(validate=_validate_stack(rule, board), **metadata)
    assert isinstance(rule, ReportRule)
    return StackValidationPolicy(validate=_validate_report(rule, board, last_line), **metadata)


def _validate_resource(rule: ResourceRule, board: _Board) -> Any:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        def check() -> Iterable[Finding]:
            board.run = None
            return rule.check(board.resource(rule, args))

        outcome = run_resource_rule(rule, check)
        board.keep(outcome, args.urn)
        _report(outcome, report)

    return validate


def _validate_stack(rule: StackRule, board: _Board) -> Any:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        outcome = run_stack_rule(rule, lambda: board.stack(rule, args))
        wrong = [Violation(None, problem, fix="Correct it.") for problem in misspelt(rule, args.get_config())]
        outcome = replace(outcome, violations=(*wrong, *outcome.violations))
        board.keep(outcome)
        _report(outcome, report)

    return validate


def _validate_report(rule: ReportRule, board: _Board, last_line: str | None) -> Any:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        def check() -> Iterable[Violation]:
            stack = board.stack(rule, args)
            return rule.check(board.of(stack), stack)

        _report(run_report_rule(rule, check), report)
        if last_line is not None:
            print(last_line, flush=True)

    return validate


def _report(outcome: Outcome, report: ReportViolation) -> None:
    """Report the violations in the order the CLI shows them; why and fix stand with the first few only."""
    ordered = sorted(outcome.violations, key=lambda violation: violation.resource.urn if violation.resource else "")
    for number, violation in enumerate(ordered):
        words = message(outcome.rule, violation) if number < _IN_FULL else f"{violation.what} (why and fix: see above)"
        report(words, violation.resource.urn if violation.resource else None)
