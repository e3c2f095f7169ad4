"""The JSON of a judgement. Money is text, as in `gpucluster cost report`."""

from __future__ import annotations

import datetime
from typing import Any, Literal

from pydantic import AliasPath, Field

from gpucluster.core.documents.model import Maybe, Model, Versioned, command_schema
from gpucluster.cost.documents.diff.diff_json import ChangeOfCost, CostChange, diff_json
from gpucluster.cost.documents.json_schema import Amount
from gpucluster.operate.pull_request.evidence import JobEvidence
from gpucluster.operate.pull_request.judgement import Finding, Judgement, StackJudgement
from gpucluster.policies.answers import Answer
from gpucluster.policies.render.document import GpuMachines, machine_fields


class FindingModel(Model):
    rule: str
    enforcement: Literal["mandatory", "advisory"]
    severity: Literal["critical", "high", "medium", "low"]
    new: bool = Field(description="whether the base does not have the same one")
    resource: str | None = Field(description="null for the whole stack")
    what: str
    fix: str
    monthly: Amount | None
    monthly_of: str | None = Field(description="the resource, or the enclosing part that has a price")


class ExemptionModel(Model):
    rule: str
    resource: str
    reason: str
    owner: str
    until: datetime.date


class RefusalModel(Model):
    judge: str
    resource: str = Field(validation_alias=AliasPath("resource", "name"))
    type: str = Field(validation_alias=AliasPath("resource", "type"))
    path: str = Field(validation_alias=AliasPath("remark", "path"))
    said: str = Field(validation_alias=AliasPath("remark", "text"))


class OtherFindingModel(Model):
    """A finding of another policy pack."""

    pack: str = Field(validation_alias=AliasPath("found", "pack"))
    policy: str = Field(validation_alias=AliasPath("found", "policy"))
    enforcement: Literal["mandatory", "advisory"] = Field(validation_alias=AliasPath("found", "level"))
    new: bool = Field(description="whether the base does not have the same one")
    resource: str = Field(validation_alias=AliasPath("found", "resource"), description="empty for the whole stack")
    message: str = Field(validation_alias=AliasPath("found", "message"))


class VendorsModel(Model):
    refusals: list[RefusalModel]
    unheard: list[str] = Field(description="what was not checked")


class MachineChangeModel(Model):
    """GPU machines of one place, as in `gpucluster guardrails check`."""

    before: GpuMachines | None = Field(description="null if the base does not name them there")
    after: GpuMachines | None = Field(description="null if the change does not name them there")


class StackModel(Model):
    name: str
    base: Literal["built", "absent", "failed"]
    head: Literal["planned", "absent", "failed"]
    problem: Maybe = Field(description="why there is no plan")
    refused: Maybe = Field(description="error of the program at the end of an update")
    no_comparison: Maybe
    steps: dict[str, int]
    cost: CostChange | None
    price_change: ChangeOfCost | None = Field(description="effect of the price book of the change")
    findings: list[FindingModel]
    new_exemptions: list[ExemptionModel]
    others: list[OtherFindingModel] = Field(description="findings of other policy packs")
    others_problem: Maybe = Field(description="why other policy packs did not run")
    machines: list[MachineChangeModel] = Field(description="every place where GPU machines are named on either side")
    jobs: list[JobEvidence]
    jobs_problem: Maybe
    vendors: VendorsModel


class JudgementModel(Versioned):
    """The check of a pull request."""

    schema_minor: int = 1
    base: str
    head: str
    pack: str
    passes: bool
    verdict: Literal["passes", "fails", "cannot tell"]
    only_new: bool = Field(description="whether mandatory findings that the base has, too, do not fail")
    price_problem: Maybe
    touched: dict[str, list[str]] = Field(description="files that affect the check itself, by kind")
    stacks: list[StackModel]


def judgement_json(found: Judgement) -> JudgementModel:
    """A document of plain values, in a stable order."""
    fields = ("base", "head", "pack", "passes", "verdict", "only_new", "price_problem", "touched")
    given = {name: getattr(found, name) for name in fields}
    return JudgementModel.model_validate({**given, "stacks": [_stack(stack) for stack in found.stacks]})


def _stack(stack: StackJudgement) -> dict[str, Any]:
    fields = (
        "name",
        "base",
        "head",
        "problem",
        "refused",
        "no_comparison",
        "steps",
        "jobs",
        "jobs_problem",
        "vendors",
        "others",
        "others_problem",
    )
    return {
        **{name: getattr(stack, name) for name in fields},
        "cost": None if stack.diff is None else diff_json(stack.diff),
        "price_change": None if stack.price_change is None else stack.price_change.change,
        "findings": [_finding(stack, one) for one in (*stack.mandatory, *stack.advice)],
        "new_exemptions": stack.exemptions,
        "machines": [{"before": _machines(one.before), "after": _machines(one.after)} for one in stack.machines],
    }


def _machines(side: Answer | None) -> dict[str, Any] | None:
    return None if side is None else machine_fields(side)


def _finding(stack: StackJudgement, finding: Finding) -> dict[str, Any]:
    found = finding.found
    name, amount = stack.monthly(finding) or (None, None)
    return {
        "rule": found.rule.name,
        "enforcement": found.level.value,
        "severity": found.rule.severity.value,
        "new": finding.new,
        "resource": found.resource.name if found.resource else None,
        "what": found.violation.what,
        "fix": found.fix,
        "monthly": amount,
        "monthly_of": name,
    }


def judgement_schema() -> dict[str, Any]:
    """JSON Schema of `gpucluster guardrails pr-check --format json`."""
    return command_schema(JudgementModel, "guardrails pr-check")
