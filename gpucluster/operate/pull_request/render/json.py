"""A judgement as JSON. Money is text, as in `gpucluster cost report`."""

from __future__ import annotations

import json
from typing import Any

from gpucluster.cost.documents.diff.diff_json import change_json, diff_json
from gpucluster.operate.pull_request.judgement import Finding, Judgement, StackJudgement


def as_json(found: Judgement) -> str:
    """A document of plain values, in a stable order."""
    document = {
        "schema_version": 2,
        "base": found.base,
        "head": found.head,
        "pack": found.pack,
        "passes": found.passes,
        "verdict": found.verdict,
        "price_problem": found.price_problem or None,
        "touched": {kind: list(files) for kind, files in found.touched.items()},
        "stacks": [_stack(stack) for stack in found.stacks],
    }
    return json.dumps(document, indent=2)


def _stack(stack: StackJudgement) -> dict[str, Any]:
    return {
        "name": stack.name,
        "base": stack.base,
        "head": stack.head,
        "problem": stack.problem or None,
        "refused": stack.refused or None,
        "no_comparison": stack.no_comparison or None,
        "steps": dict(stack.steps),
        "cost": None if stack.diff is None else diff_json(stack.diff).model_dump(),
        "price_change": None if stack.price_change is None else change_json(stack.price_change.change),
        "findings": [_finding(stack, one) for one in (*stack.mandatory, *stack.advice)],
        "new_exemptions": [
            {
                "rule": one.rule,
                "resource": one.resource,
                "reason": one.reason,
                "owner": one.owner,
                "until": one.until.isoformat(),
            }
            for one in stack.exemptions
        ],
        "jobs": [job.model_dump() for job in stack.jobs],
        "jobs_problem": stack.jobs_problem or None,
        "vendors": {
            "refusals": [
                {
                    "judge": one.judge,
                    "resource": one.resource.name,
                    "type": one.resource.type,
                    "path": one.remark.path,
                    "said": one.remark.said,
                }
                for one in stack.vendors.refusals
            ],
            "unheard": list(stack.vendors.unheard),
        },
    }


def _finding(stack: StackJudgement, finding: Finding) -> dict[str, Any]:
    found, about = finding.found, stack.monthly(finding)
    return {
        "rule": found.rule.name,
        "enforcement": found.level.value,
        "severity": found.rule.severity.value,
        "new": finding.new,
        "resource": found.resource.name if found.resource else None,
        "what": found.violation.what,
        "fix": found.fix,
        "monthly": None if about is None else f"{about[1]:f}",
        "monthly_of": None if about is None else about[0],
    }
