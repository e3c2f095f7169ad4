"""The results of a run for people and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from policies.fence import Outcome
from policies.rule import Enforcement, Rule, Violation

__all__ = ["Report", "as_json", "as_table"]

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, kw_only=True)
class Report:
    """
    outcomes: each with the level its rule has in this run.
    resources: how many were looked at.
    """

    outcomes: Sequence[tuple[Outcome, Enforcement]]
    resources: int

    def findings(self, level: Enforcement) -> list[tuple[Rule, Violation]]:
        """The violations of the rules at one level."""
        return [
            (outcome.rule, violation)
            for outcome, enforcement in self.outcomes
            if enforcement is level
            for violation in outcome.violations
        ]

    @property
    def mandatory(self) -> int:
        return len(self.findings(Enforcement.MANDATORY))


def as_table(report: Report, *, closing: bool = True) -> str:
    """Findings in full, mandatory ones first, and a closing line."""
    blocks = [_block(level, rule, violation) for level in _ORDER for rule, violation in report.findings(level)]
    return "\n".join([*blocks, _closing(report)] if closing else blocks)


def as_json(report: Report) -> dict[str, Any]:
    """The same for machines."""
    return {
        "schema_version": SCHEMA_VERSION,
        "findings": [
            _finding(level, rule, violation) for level in _ORDER for rule, violation in report.findings(level)
        ],
        "rules": len(report.outcomes),
        "resources": report.resources,
        "mandatory": report.mandatory,
        "advisory": len(report.findings(Enforcement.ADVISORY)),
    }


_ORDER: Final = (Enforcement.MANDATORY, Enforcement.ADVISORY)


def _block(level: Enforcement, rule: Rule, violation: Violation) -> str:
    about = violation.resource
    place = f" ({about.source_position})" if about and about.source_position else ""
    return "\n".join(
        (
            f"[{level.value}] {rule.name}  {about.name if about else 'the whole stack'}{place}",
            f"    {violation.what}",
            f"    why: {rule.why}",
            f"    fix: {violation.fix or rule.fix}",
            "",
        )
    )


def _finding(level: Enforcement, rule: Rule, violation: Violation) -> dict[str, Any]:
    about = violation.resource
    return {
        "rule": rule.name,
        "enforcement": level.value,
        "severity": rule.severity.value,
        "resource": about.name if about else None,
        "urn": about.urn if about else None,
        "source_position": about.source_position if about else None,
        "what": violation.what,
        "why": rule.why,
        "fix": violation.fix or rule.fix,
    }


def _closing(report: Report) -> str:
    advisory = len(report.findings(Enforcement.ADVISORY))
    held = f"{report.resources} resources held against {len(report.outcomes)} rules; findings: "
    if report.mandatory + advisory == 0:
        return f"{held}none."
    return f"{held}{report.mandatory} mandatory, {advisory} advisory.\nNext: guardrails explain NAME"
