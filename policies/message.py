"""The text of a finding: what, why, fix and page. The Pulumi CLI prints only the title among a policy's fields."""

from __future__ import annotations

from gpucluster.policies.rule import Rule, Violation


def message(rule: Rule, violation: Violation) -> str:
    """One finding in four lines; the CLI itself prints the resource before them."""
    return f"{violation.what}\nwhy: {rule.why}\nfix: {violation.fix or rule.fix}\nsee: {explained_by(rule)}"


def page_of(rule: Rule) -> str:
    """The section about the rule in this repository."""
    return f"docs/rules.md#{rule.name}"


def explained_by(rule: Rule) -> str:
    """The command that explains the rule in any installation of the package."""
    return f"gpucluster guardrails explain {rule.name}"
