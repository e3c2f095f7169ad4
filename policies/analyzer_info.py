"""Describes a pack to the engine: each rule is a policy."""

from __future__ import annotations

from typing import Final

from pulumi.runtime.proto.analyzer_pb2 import (
    POLICY_TYPE_RESOURCE,
    POLICY_TYPE_STACK,
    AnalyzerInfo,
    EnforcementLevel,
    PolicyInfo,
    PolicySeverity,
)

from gpucluster.policies.pack import Pack
from gpucluster.policies.rule import ChangeRule, ReportRule, ResourceRule, Rule

VERSION: Final = "0.0.1"
"""Pack version if `PulumiPolicy.yaml` has none."""


def seen_rules(pack: Pack) -> list[Rule]:
    """The rules that run in a pack, in order: those for single resources first, report rules last."""
    seen = (rule for rule in pack.rules if not isinstance(rule, ChangeRule))
    return sorted(seen, key=lambda rule: (isinstance(rule, ReportRule), not isinstance(rule, ResourceRule)))


def level_of(pack: Pack, rule: Rule) -> EnforcementLevel.ValueType:
    """The level of an unconfigured rule."""
    return EnforcementLevel.Value(pack.enforcement(rule).name)


def severity_of(rule: Rule) -> PolicySeverity.ValueType:
    return PolicySeverity.Value(f"POLICY_SEVERITY_{rule.severity.name}")


def analyzer_info(pack: Pack) -> AnalyzerInfo:
    """The pack and its policies."""
    policies = [_policy_info(pack, rule) for rule in seen_rules(pack)]
    return AnalyzerInfo(
        name=pack.name, version=VERSION, description=pack.description, supportsConfig=True, policies=policies
    )


def _policy_info(pack: Pack, rule: Rule) -> PolicyInfo:
    of_resource = isinstance(rule, ResourceRule) or rule.mends_by is not None
    info = PolicyInfo(
        name=rule.name,
        description=rule.title,
        enforcementLevel=level_of(pack, rule),
        severity=severity_of(rule),
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
