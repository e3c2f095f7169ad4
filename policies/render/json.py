"""A report for machines: JSON, whose schema `gpucluster schema guardrails-check` prints."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gpucluster.core.catalog.nodes import Effect
from gpucluster.core.text.json_text import schema_of
from gpucluster.policies.clouds.node_impacts import NodeImpact
from gpucluster.policies.engine.rule import Enforcement, page_of
from gpucluster.policies.report import Found, Report


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Edit(_Model):
    at: str = Field(description="Property of the resource, as the engine names it, e.g. tagSpecifications[0].tags")
    write: dict[str, Any] | list[Any] = Field(
        description="Members to set in that map, or elements to append to that list; replace empty strings with your "
        "own values"
    )


class Finding(_Model):
    file: str = Field(description="The file, as given on the command line; stdin if read from stdin")
    rule: str
    enforcement: Literal["mandatory", "advisory"]
    severity: Literal["critical", "high", "medium", "low"]
    resource: str | None = Field(description="Logical name; null for the stack as a whole")
    urn: str | None
    source_position: str | None = Field(description="path#line in the program, if the plan has it")
    what: str
    why: str
    fix: str
    edits: list[Edit] = Field(description="What to write into the resource, if the rule knows it")
    page: str = Field(description="The page about the rule, in the repository of the rules")
    exemption: str | None = Field(description="JSON of the exemption that accepts it, with empty reason and owner")


class Nodes(_Model):
    file: str
    pool: str = Field(description="Logical name")
    machine: str | None
    nodes: int | None = Field(description="Before the update; null if unknown")
    effect: Effect = Field(
        description="Worst effect of the update on them; see gpucluster/core/catalog/node_changes.csv"
    )
    changed: list[str] = Field(description="Properties that cause it")
    gone: int = Field(description="Nodes that are deleted")
    gpus: int | None = Field(description="GPUs whose jobs end: GPU-hours lost for each hour since the last checkpoint")
    usd: str | None = Field(description="Their cost an hour; null if no price is known or no job ends")


class Check(_Model):
    """Result of `gpucluster guardrails check --format json`."""

    schema_version: Literal[1] = 1
    pack: str
    files: list[str]
    findings: list[Finding]
    nodes: list[Nodes] = Field(description="Training and MIG pools that a plan changes")
    rules: int = Field(description="Rules that ran")
    not_run: list[str] = Field(
        description="Rules about deletions and replacements that did not run on every file: they need a plan"
    )
    resources: int = Field(description="Resources checked, in all files")
    mandatory: int = Field(description="Mandatory findings; any gives exit code 1")
    advisory: int


def as_json(report: Report) -> str:
    """The report in the form the schema describes."""
    check = Check(
        pack=report.pack,
        files=[checked.file for checked in report.files],
        findings=[_finding(found, report) for found in report],
        nodes=[_nodes(checked.file, one) for checked in report.files for one in checked.nodes],
        rules=len(report.rules),
        not_run=[rule.name for rule in report.not_run],
        resources=report.resources,
        mandatory=report.count(Enforcement.MANDATORY),
        advisory=report.count(Enforcement.ADVISORY),
    )
    return check.model_dump_json(indent=2)


def json_schema() -> dict[str, Any]:
    """JSON Schema of the report."""
    return schema_of(Check)


def _nodes(file: str, one: NodeImpact) -> Nodes:
    pool = one.impact.pool
    return Nodes(
        file=file,
        pool=pool.name,
        machine=pool.machine if isinstance(pool.machine, str) else None,
        nodes=pool.nodes if isinstance(pool.nodes, int) else None,
        effect=one.impact.effect,
        changed=list(one.impact.because),
        gone=one.impact.gone,
        gpus=one.impact.gpus,
        usd=None if one.usd is None else str(one.usd),
    )


def _finding(found: Found, report: Report) -> Finding:
    about = found.resource
    return Finding(
        file=found.checked.file,
        rule=found.rule.name,
        enforcement=found.level.value,
        severity=found.rule.severity.value,
        resource=about.name if about else None,
        urn=about.urn if about else None,
        source_position=about.source_position if about else None,
        what=found.violation.what,
        why=found.rule.why,
        fix=found.fix,
        edits=[Edit(at=edit.path, write=edit.value) for edit in found.edits],
        page=page_of(found.rule),
        exemption=found.exemption(report.today),
    )
