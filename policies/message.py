"""The words of a finding: what, why, fix and page. The Pulumi CLI prints no other field of a policy than its title."""

from __future__ import annotations

from gpucluster.policies.rule import Rule, Violation


def message(rule: Rule, violation: Violation) -> str:
    """One finding in four lines; the CLI itself puts the resource before them."""
    return f"{violation.what}\nwhy: {rule.why}\nfix: {violation.fix or rule.fix}\nsee: {explained_by(rule)}"


def page_of(rule: Rule) -> str:
    """The section about the rule, in this repository."""
    return f"docs/rules.md#{rule.name}"


def explained_by(rule: Rule) -> str:
    """The command that explains the rule, wherever the package is installed."""
    return f"gpucluster guardrails explain {rule.name}"
