"""A report for users."""

from __future__ import annotations

from gpucluster.policies.engine.rule import Enforcement, explained_by
from gpucluster.policies.report import Checked, Found, Report


def as_table(report: Report, *, closing: bool = True) -> str:
    """Findings in full, by file, mandatory ones first, and a closing line."""
    several = len(report.files) > 1
    lines: list[str] = []
    for checked in report.files:
        found = [item for item in report if item.checked is checked]
        if several and (found or closing or _nodes(checked, every=False)):
            lines += [checked.file if found else f"{checked.file}: no findings", ""]
        for item in found:
            lines += [*_block(item, report), ""]
        lines += _nodes(checked, every=closing)
    return "\n".join([*lines, *_closing(report)] if closing else lines)


def _block(found: Found, report: Report) -> list[str]:
    position = found.resource.source_position if found.resource else None
    lines = [
        f"[{found.level.value}] {found.rule.name}  {found.subject}{f' ({position})' if position else ''}",
        f"    {found.violation.what}",
        f"    why: {found.rule.why}",
        f"    fix: {found.fix}",
        *(f"    write in {edit.path}: {edit.snippet}" for edit in found.edits),
        f"    see: {explained_by(found.rule)}",
    ]
    if exemption := found.exemption(report.today):
        lines.append(f"    to accept it, add to exemptions, with a reason and an owner: {exemption}")
    return lines


def _nodes(checked: Checked, *, every: bool) -> list[str]:
    """every: include pools without an effect."""
    told = [f"    {one.sentence}" for one in checked.nodes if every or not one.harmless]
    return ["Effect on nodes:", *told, ""] if told else []


def _closing(report: Report) -> list[str]:
    mandatory, advisory = (report.count(level) for level in (Enforcement.MANDATORY, Enforcement.ADVISORY))
    held = f"{report.resources} resources checked against {len(report.rules)} rules; findings: "
    lines = [f"{held}{mandatory} mandatory, {advisory} advisory." if mandatory + advisory else f"{held}none."]
    if report.not_run:
        lines.append(f"{len(report.not_run)} rules about deletions and replacements could not run: they need a plan.")
    return [*lines, "Next: gpucluster guardrails explain NAME"] if mandatory + advisory else lines
