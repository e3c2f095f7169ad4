"""The words of a finding: what, why and fix. The Pulumi CLI prints no other field of a policy than its title."""

from __future__ import annotations

from policies.rule import Rule, Violation

__all__ = ["message"]


def message(rule: Rule, violation: Violation) -> str:
    """One finding in three lines; the CLI itself puts the resource before them."""
    return f"{violation.what}\nwhy: {rule.why}\nfix: {violation.fix or rule.fix}"
