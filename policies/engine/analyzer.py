# ruff: noqa: ARG002 - the signatures are those of the protocol
"""The engine's analyzer protocol around one pack: each rule is a policy.

The enforcement level belongs to a policy, not to a finding. So undecided and exempted findings of a mandatory rule must
not be reported under its own name: the outcomes are stored, and the report rules, which are advisory and run last,
report them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto.analyzer_pb2 import (
    ADVISORY,
    DISABLED,
    MANDATORY,
    POLICY_TYPE_RESOURCE,
    POLICY_TYPE_STACK,
    REMEDIATE,
    AnalyzeDiagnostic,
    AnalyzeRequest,
    AnalyzeResponse,
    AnalyzerHandshakeRequest,
    AnalyzerHandshakeResponse,
    AnalyzerInfo,
    AnalyzerStackConfigureRequest,
    AnalyzerStackConfigureResponse,
    AnalyzeStackRequest,
    ConfigureAnalyzerRequest,
    EnforcementLevel,
    PolicyInfo,
    PolicyNotApplicable,
    PolicySeverity,
    RemediateResponse,
    Remediation,
)
from pulumi.runtime.proto.analyzer_pb2_grpc import AnalyzerServicer
from pulumi.runtime.proto.plugin_pb2 import PluginInfo

from gpucluster.core.program.closing import hand_over
from gpucluster.core.program.readers.policy import plain, resource_of, resources_of
from gpucluster.core.program.resources import Resources
from gpucluster.policies.engine.exemptions import today
from gpucluster.policies.engine.own_programs import counted
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.remediation import remediated
from gpucluster.policies.engine.rule import (
    ChangeRule,
    Outcome,
    ReportRule,
    ResourceRule,
    Rule,
    Stack,
    StackRule,
    Violation,
    explained_by,
    message,
    spec_field,
)
from gpucluster.policies.engine.run import run_report_rule, run_resource_rule, run_stack_rule
from gpucluster.policies.engine.settings import Settings, unknown_settings

_TAGS: Final = ("gpu", "kubernetes", "cost")
_VERSION: Final = "0.0.1"
"""Pack version if `PulumiPolicy.yaml` has none."""


class Analyzer(AnalyzerServicer):
    """One served pack: configured, then called for each resource and, once all are registered, for the stack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        # In this order: those for single resources first, report rules last.
        self._rules = sorted(
            (rule for rule in pack.rules if not isinstance(rule, ChangeRule)),
            key=lambda rule: (isinstance(rule, ReportRule), not isinstance(rule, ResourceRule)),
        )
        self._own_levels = {rule.name: _level(pack, rule) for rule in self._rules}
        self._levels = self._own_levels
        self._configs = pack.settings.configs
        self._inputs: dict[str, Mapping[str, Any]] = {}
        self._tags: Mapping[str, str] = {}
        self._outcomes: dict[tuple[str, str], Outcome] = {}  # by rule and URN; a new run replaces older ones

    def Handshake(self, request: AnalyzerHandshakeRequest, context: Any) -> AnalyzerHandshakeResponse:
        return AnalyzerHandshakeResponse()

    def Cancel(self, request: Empty, context: Any) -> Empty:
        return Empty()

    def GetAnalyzerInfo(self, request: Empty, context: Any) -> AnalyzerInfo:
        return AnalyzerInfo(
            name=self._pack.name,
            displayName=_readable(self._pack.name),
            version=self._pack.version or _VERSION,
            tags=_TAGS,
            description=self._pack.description,
            supportsConfig=True,
            policies=[_policy_info(self._pack, rule) for rule in self._rules],
        )

    def GetPluginInfo(self, request: Empty, context: Any) -> PluginInfo:
        return PluginInfo(version=self._pack.version or _VERSION)

    def Configure(self, request: ConfigureAnalyzerRequest, context: Any) -> Empty:
        given_levels = {name: given.enforcementLevel for name, given in request.policyConfig.items()}
        self._levels = {**self._own_levels, **given_levels}
        given = Settings(configs={name: plain(given.properties) for name, given in request.policyConfig.items()})
        self._configs = given.over(self._pack.settings).configs
        return Empty()

    def ConfigureStack(self, request: AnalyzerStackConfigureRequest, context: Any) -> AnalyzerStackConfigureResponse:
        self._tags = dict(request.tags)
        return AnalyzerStackConfigureResponse()

    @property
    def remediates(self) -> bool:
        """Whether a rule is configured to remediate its findings."""
        return REMEDIATE in self._levels.values()

    def Remediate(self, request: AnalyzeRequest, context: Any) -> RemediateResponse:
        """Each remediation receives the result of the previous one."""
        response = RemediateResponse()
        for rule in self._rules:
            if self._levels[rule.name] != REMEDIATE:
                continue
            if isinstance(rule, ResourceRule):
                response.not_applicable.append(
                    PolicyNotApplicable(policy_name=rule.name, reason="Policy does not implement remediate")
                )
            elif isinstance(rule, StackRule) and rule.remedy is not None:
                properties = remediated(rule, request, self._configs.get(rule.name, {}))
                if properties is not None:
                    request.properties.CopyFrom(properties)
                    response.remediations.append(
                        Remediation(
                            policyName=rule.name,
                            policyPackName=self._pack.name,
                            policyPackVersion=self._pack.version or _VERSION,
                            description=rule.title,
                            properties=properties,
                        )
                    )
        return response

    def Analyze(self, request: AnalyzeRequest, context: Any) -> AnalyzeResponse:
        """The findings of rules for one resource, each with its own diagnostic; only the closing block has one line for
        each rule.

        The engine calls this for one resource at a time, and no earlier diagnostic can be changed. A diagnostic for all
        of them would have to wait for AnalyzeStack: an update would have created the resources by then, and a run that
        ends before has no AnalyzeStack, and would lose them.
        """
        resource = resource_of(request)
        self._inputs[resource.urn] = resource.inputs
        response = AnalyzeResponse()
        for rule in self._running():
            if isinstance(rule, ResourceRule):
                outcome = run_resource_rule(rule, resource)
                self._outcomes[rule.name, resource.urn] = outcome
                response.diagnostics.extend(self._diagnostics(outcome))
        if response.diagnostics:  # a mandatory one ends the run before the stack is analyzed
            self._hand_over(self._outcomes.values())
        return response

    def AnalyzeStack(self, request: AnalyzeStackRequest, context: Any) -> AnalyzeResponse:
        resources = resources_of(request.resources, self._inputs)
        resources.settings = Settings(configs=self._configs).all
        # Without those of resources that no longer exist.
        outcomes = [found for (_, urn), found in self._outcomes.items() if resources.get(urn) is not None]
        response, reports, machines = AnalyzeResponse(), list[Outcome](), list[str]()
        grant = self._pack.grant(self._configs)
        for rule in self._running():
            stack = Stack(
                resources=resources,
                config=self._configs.get(rule.name, {}),
                today=today(),
                grant=grant,
                tags=self._tags,
                secrets_marked=False,
            )
            if isinstance(rule, StackRule):
                outcomes.append(_run(rule, stack))
                response.not_applicable.extend(_not_applicable(outcomes[-1]))
                response.diagnostics.extend(self._diagnostics(outcomes[-1], _stack_urn(resources)))
            elif isinstance(rule, ReportRule):
                reports.append(run_report_rule(rule, outcomes, stack))
                machines += rule.machines(outcomes, stack)
                response.diagnostics.extend(self._diagnostics(reports[-1], _stack_urn(resources)))
        self._hand_over([*outcomes, *reports], machines=machines)
        if own := counted(outcomes, grant):
            print(f"{self._pack.name}: {own}", flush=True)
        if count := len(self._pack.change_rules):
            # Shown under the engine's diagnostics; not a finding, since nothing is wrong.
            print(
                f"{self._pack.name}: {count} rules about deletions and replacements cannot run in a preview; "
                "`gpucluster guardrails check` runs them on its plan (preview --json --show-sames)",
                flush=True,
            )
        return response

    def _hand_over(self, outcomes: Iterable[Outcome], machines: Sequence[str] = ()) -> None:
        """Counts the findings of each rule for the closing block, mandatory ones first. machines: lines about them."""
        violations: dict[str, list[Violation]] = {}
        for outcome in outcomes:
            violations.setdefault(outcome.rule.name, []).extend(outcome.violations)
        found = [
            {
                "rule": rule.name,
                "explain": explained_by(rule),
                "level": "advisory" if self._levels[rule.name] == ADVISORY else "mandatory",
                "count": len(of_rule),
                "field": next(filter(None, (spec_field(rule, violation) for violation in of_rule)), ""),
            }
            for rule in self._running()
            if (of_rule := violations.get(rule.name, []))
        ]
        found.sort(key=lambda one: one["level"] != "mandatory")
        hand_over(
            f"findings-{self._pack.name}",
            {"rules": len([*self._running()]), "findings": found, "machines": [*machines]},
        )

    def _running(self) -> Iterator[Rule]:
        return (rule for rule in self._rules if self._levels[rule.name] != DISABLED)

    def _diagnostics(self, outcome: Outcome, whole: str = "") -> Iterator[AnalyzeDiagnostic]:
        """One for all violations of a rule, at the first resource by name.

        whole: URN for those of no single resource; `pulumi policy analyze` panics without one.
        """
        rule = outcome.rule
        level = self._levels[rule.name]
        if not outcome.violations:
            return
        ordered = sorted(outcome.violations, key=lambda violation: violation.resource.urn if violation.resource else "")
        first = ordered[0].resource
        yield AnalyzeDiagnostic(
            policyName=rule.name,
            policyPackName=self._pack.name,
            policyPackVersion=self._pack.version or _VERSION,
            description=rule.title,
            message=message(rule, ordered),
            enforcementLevel=MANDATORY if level == REMEDIATE else level,  # left by a remediation
            urn=first.urn if first else whole,
            severity=_severity(rule),
        )


def _level(pack: Pack, rule: Rule) -> EnforcementLevel.ValueType:
    """The level of a rule that a run does not configure."""
    given = pack.settings.levels.get(rule.name, pack.enforcement(rule).value)
    return EnforcementLevel.Value(given.upper())


def _severity(rule: Rule) -> PolicySeverity.ValueType:
    return PolicySeverity.Value(f"POLICY_SEVERITY_{rule.severity.name}")


def _readable(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _not_applicable(outcome: Outcome) -> Iterator[PolicyNotApplicable]:
    """A rule without what it compares with neither passes nor fails."""
    if outcome.not_checked and not outcome.violations:
        reason = "; ".join(f"no {one.what} stated" for one in outcome.not_checked)
        yield PolicyNotApplicable(policy_name=outcome.rule.name, reason=reason)


def _policy_info(pack: Pack, rule: Rule) -> PolicyInfo:
    of_resource = isinstance(rule, ResourceRule) or rule.mends_by is not None
    info = PolicyInfo(
        name=rule.name,
        displayName=_readable(rule.name),
        description=rule.title,
        enforcementLevel=_level(pack, rule),
        severity=_severity(rule),
        remediation_steps=rule.fix,
        policy_type=POLICY_TYPE_RESOURCE if of_resource else POLICY_TYPE_STACK,
    )
    if rule.frameworks:
        first = rule.frameworks[0]
        info.framework.name = first.name
        info.framework.specification = first.specification
        info.framework.reference = first.reference
    if rule.settings:
        info.configSchema.properties.update({name: dict(schema) for name, schema in rule.settings.items()})
    return info


def _stack_urn(resources: Resources) -> str:
    """The URN of the stack, from that of any of its resources (pulumi, sdk/go/common/resource/urn)."""
    for resource in resources:
        stack, project = resource.urn.removeprefix("urn:pulumi:").split("::")[:2]
        return f"urn:pulumi:{stack}::{project}::pulumi:pulumi:Stack::{project}-{stack}"
    return ""


def _run(rule: StackRule, stack: Stack) -> Outcome:
    outcome = run_stack_rule(rule, stack)
    wrong = [Violation(None, problem, fix="Correct it.") for problem in unknown_settings(rule, stack.config)]
    return replace(outcome, violations=(*wrong, *outcome.violations))
