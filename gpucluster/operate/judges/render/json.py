"""A report as JSON, whose schema `gpucluster schema judge` prints."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gpucluster.core.text.json_text import schema_of
from gpucluster.operate.judges import verdicts
from gpucluster.operate.judges.verdicts import Outcome, Report


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Remark(_Model):
    path: str = Field(description="The input, such as vpcConfig.subnetIds[0]; empty for the resource as a whole")
    said: str = Field(description="The judge's own words")


class Verdict(_Model):
    resource: str = Field(description="Logical name")
    urn: str
    type: str
    source_position: str | None = Field(description="path#line in the program, if the plan has it")
    judge: str | None = Field(description="Name of the judge; null if none covers the package")
    outcome: Literal["accepted", "refused", "not judged"]
    refusals: list[Remark]
    advice: list[Remark] = Field(description="What the judge accepts with a warning, such as deprecated inputs")
    left: list[str] = Field(description="Inputs that the judge does not cover")
    why: str | None = Field(description="Why it was not judged")


class Judged(_Model):
    """Result of `gpucluster judge --format json`."""

    schema_version: Literal[1] = 1
    file: str
    accepted: int
    refused: int = Field(description="Exit code 1 if there are any")
    not_judged: int = Field(description="Exit code 1 with --strict if there are any")
    verdicts: list[Verdict] = Field(description="One for each resource of a cloud, in the order of the plan")


def as_json(report: Report) -> str:
    """The report in the form the schema describes."""
    counts = {outcome: len(report.of(outcome)) for outcome in Outcome}
    judged = Judged(
        file=report.file,
        accepted=counts[Outcome.ACCEPTED],
        refused=counts[Outcome.REFUSED],
        not_judged=counts[Outcome.NOT_JUDGED],
        verdicts=[_verdict(one) for one in report.verdicts],
    )
    return judged.model_dump_json(indent=2)


def json_schema() -> dict[str, Any]:
    """JSON Schema of the report."""
    return schema_of(Judged)


def _verdict(one: verdicts.Verdict) -> Verdict:
    return Verdict(
        resource=one.resource.name,
        urn=one.resource.urn,
        type=one.resource.type,
        source_position=one.resource.source_position,
        judge=one.judge or None,
        outcome=one.outcome.value,
        refusals=[Remark(path=remark.path, said=remark.said) for remark in one.refusals],
        advice=[Remark(path=remark.path, said=remark.said) for remark in one.advice],
        left=list(one.left),
        why=one.why or None,
    )
