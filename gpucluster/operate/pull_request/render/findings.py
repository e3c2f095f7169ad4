"""Findings as lines of Markdown. Only rule name, level and the rule's own fix in a finding are our text."""

from __future__ import annotations

from gpucluster.core.documents.markdown import code
from gpucluster.cost.pricing.money import money
from gpucluster.operate.pull_request.judgement import Finding, Refusal, StackJudgement
from gpucluster.policies.engine.rule import explained_by

_LONGEST = 400
"""Maximum characters of a finding."""


def mandatory_line(stack: StackJudgement, finding: Finding) -> str:
    """The error, its place, its cost per month, the change to make, and the text to write if the rule has it."""
    found = finding.found
    fix = code(found.violation.fix, _LONGEST) if found.violation.fix else _plain(found.rule.fix)
    known = "" if finding.new else " (in the base too)"
    edits = "".join(f"<br>Write in {code(edit.path)}: {code(edit.snippet, _LONGEST)}" for edit in found.edits)
    return (
        f"- {code(found.rule.name)} in {code(stack.name)}{known}: {_subject(stack, finding)}: "
        f"{code(found.violation.what, _LONGEST)}<br>Fix: {fix} See {code(explained_by(found.rule))}.{edits}"
    )


def advice_line(stack: StackJudgement, finding: Finding) -> str:
    """Advice in one line."""
    found = finding.found
    return f"- {code(found.rule.name)}: {_subject(stack, finding)}: {code(found.violation.what, _LONGEST)}"


def vendor_line(stack: StackJudgement, refusal: Refusal) -> str:
    """A refusal by a vendor's schema, in its judge's words."""
    remark = refusal.remark
    where = f"{code(remark.path)}: " if remark.path else ""
    subject = f"{code(refusal.resource.name)} ({code(refusal.resource.type)})"
    return f"- {refusal.judge} in {code(stack.name)}: {subject}: {where}{code(remark.said, _LONGEST)}"


def _subject(stack: StackJudgement, finding: Finding) -> str:
    """The resource, its place in the program, and the cost of it or the enclosing part."""
    found, about = finding.found, stack.monthly(finding)
    place = f" at {code(f'{found.place[0]}:{found.place[1]}')}" if found.place else ""
    if about is None:
        return f"{code(found.subject)}{place}"
    name, amount = about
    of = "" if name == found.subject else f"{code(name)} "
    return f"{code(found.subject)} ({of}{money(amount)} a month){place}"


def _plain(text: str) -> str:
    """A rule's own words, without Markdown markup."""
    for character in "\\*_|<>[]":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())
