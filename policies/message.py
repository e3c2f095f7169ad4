"""The words of a finding: what, why, fix and page. The Pulumi CLI prints no other field of a policy than its title."""

from __future__ import annotations

from gpucluster.policies.rule import Rule, Violation

__all__ = ["message", "page_of"]


def message(rule: Rule, violation: Violation) -> str:
    """One finding in four lines; the CLI itself puts the resource before them."""
    return f"{violation.what}\nwhy: {rule.why}\nfix: {violation.fix or rule.fix}\nsee: {page_of(rule)}"


def page_of(rule: Rule) -> str:
    """The page about the rule, in this repository."""
    return f"docs/rules/{rule.name}.md"
