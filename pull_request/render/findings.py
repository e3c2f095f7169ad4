"""Findings as lines of Markdown. Of a finding only rule name, level and the rule's own fix are words of ours."""

from __future__ import annotations

from gpucluster.cost.money import money
from gpucluster.cost.render.markdown import code
from gpucluster.policies.message import explained_by
from gpucluster.pull_request.judgement import Finding, StackJudgement
from gpucluster.pull_request.vendors import Refusal

_LONGEST = 400
"""Characters of what was found."""


def mandatory_line(stack: StackJudgement, finding: Finding) -> str:
    """What is wrong, where, what that costs a month, what to change, and what to write where the rule can tell."""
    found = finding.found
    fix = code(found.violation.fix, _LONGEST) if found.violation.fix else _plain(found.rule.fix)
    known = "" if finding.new else " (in the base too)"
    edits = "".join(f"<br>Write in {code(edit.path)}: {code(edit.snippet, _LONGEST)}" for edit in found.edits)
    return (
        f"- {code(found.rule.name)} in {code(stack.name)}{known}: {_subject(stack, finding)}: "
        f"{code(found.violation.what, _LONGEST)}<br>Fix: {fix} See {code(explained_by(found.rule))}.{edits}"
    )


def advice_line(stack: StackJudgement, finding: Finding) -> str:
    """What could be better, in one line."""
    found = finding.found
    return f"- {code(found.rule.name)}: {_subject(stack, finding)}: {code(found.violation.what, _LONGEST)}"


def vendor_line(stack: StackJudgement, refusal: Refusal) -> str:
    """What a vendor's schema refuses, in its judge's words."""
    remark = refusal.remark
    where = f"{code(remark.path)}: " if remark.path else ""
    subject = f"{code(refusal.resource.name)} ({code(refusal.resource.type)})"
    return f"- {refusal.judge} in {code(stack.name)}: {subject}: {where}{code(remark.said, _LONGEST)}"


def _subject(stack: StackJudgement, finding: Finding) -> str:
    """The resource, where the program makes it, and what it or the part around it costs."""
    found, about = finding.found, stack.monthly(finding)
    place = f" at {code(f'{found.place[0]}:{found.place[1]}')}" if found.place else ""
    if about is None:
        return f"{code(found.subject)}{place}"
    name, amount = about
    of = "" if name == found.subject else f"{code(name)} "
    return f"{code(found.subject)} ({of}{money(amount)} a month){place}"


def _plain(text: str) -> str:
    """A rule's own words, with nothing in them that Markdown would take for markup."""
    for character in "\\*_|<>[]":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())
