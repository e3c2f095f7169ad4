"""A report as a document: findings by file and rule, mandatory ones first, the effect on nodes, and their numbers.

A table has one row for each rule; JSON has one entry for each resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal

from pydantic import Field

from gpucluster.core.catalog.nodes import Effect
from gpucluster.core.documents.document import Document, Heading, Notes, Row, Section, Table
from gpucluster.core.documents.model import Model
from gpucluster.core.text.json_text import schema_of
from gpucluster.policies.answers import Answer, summary
from gpucluster.policies.clouds.node_impacts import NodeImpact
from gpucluster.policies.engine.rule import Enforcement, by_text, explained_by, page_of, wrong
from gpucluster.policies.render.rules import explaining
from gpucluster.policies.report import Checked, Found, Report


def check_document(report: Report, *, closing: bool = True) -> Document:
    """closing: whether the numbers are at its end, and files without findings are named."""
    return Document(title="", sections=lambda: _sections(report, closing=closing), model=lambda: _check(report))


def _sections(report: Report, *, closing: bool) -> Iterator[Section]:
    several = len(report.files) > 1
    for checked in report.files:
        of_file = (item for item in report if item.checked is checked)
        found = [_row([*of_rule], report) for _, of_rule in groupby(of_file, lambda item: item.rule.name)]
        nodes = [one.sentence for one in checked.nodes if closing or not one.harmless]
        if several and (found or closing or nodes):
            yield Heading(checked.file if found else f"{checked.file}: no findings")
        if closing:
            yield from _machines(checked)
        if found:
            yield Table(heads=("rule", "level", "resource", "line"), rows=found, left=range(4), wide=None, across=True)
        if nodes:
            yield Notes("Effect on nodes", nodes)
    if closing:
        yield from _closing(report)


def _machines(checked: Checked) -> Iterator[Section]:
    """The GPU machines in a sentence for each model, and a row for each place that is not checked."""
    not_checked = [one for one in checked.machines if one.verdict == "open"]
    for sentence in summary(checked.machines):
        yield f"GPU machines: {sentence}."
    if not_checked:
        yield Table(
            heads=("GPU machines", "resource", "not checked, because"),
            rows=[Row((one.label, checked.name_of(one.place.resource), one.why)) for one in not_checked],
            left=range(3),
            wide=2,
        )


def _row(found: Sequence[Found], report: Report) -> Row:
    """The findings of one rule in one file."""
    first, several = found[0], len(found) > 1
    one_place = len({one.where for one in found}) == 1
    names = [one.checked.name_of(one.resource) if one.resource else one.subject for one in found]
    named = [*zip(names, found, strict=True)]
    places = ["" if one_place or not one.where else f" ({one.where})" for one in found]
    edits = [*by_text((name, f"{edit.path}: {edit.snippet}") for name, one in named for edit in one.edits)]
    # Without names if every resource gets the same.
    [(everyone, _)] = by_text((name, "") for name in names)
    lines = [f"write in {'' if about == everyone else f'{about}, '}{edit}" for about, edit in edits]
    if exemption := first.exemption(report.today):
        place = (
            "exemptions" if first.exempts_in_program else f"the pack's configuration, exemptions of {first.rule.name}"
        )
        accept = f"one of them, add to {place}, with its name," if several else f"it, add to {place}, with"
        lines.append(f"to accept {accept} a reason and an owner: {exemption}")
    fixes = [*by_text((name, one.fix) for name, one in named)]
    return Row(
        (
            first.rule.name,
            first.level.value,
            f"{len(found):,} findings" if several else first.subject,
            first.where if one_place else "",
        ),
        [
            *wrong([(f"{name}{place}", one.violation) for (name, one), place in zip(named, places, strict=True)]),
            f"why: {first.rule.why}",
            *(f"fix{f' of {about}' if len(fixes) > 1 else ''}: {fix}" for about, fix in fixes),
            f"see: {explained_by(first.rule)}",
        ],
        lines=lines,
        strong=True,
        bad=first.level is Enforcement.MANDATORY,
    )


def _closing(report: Report) -> Iterator[str]:
    mandatory, advisory = (report.count(level) for level in (Enforcement.MANDATORY, Enforcement.ADVISORY))
    counts = f"{mandatory} mandatory, {advisory} advisory" if mandatory + advisory else "none"
    yield f"{report.resources} resources checked against {len(report.rules)} rules; findings: {counts}."
    yield from dict.fromkeys(f"{checked.own}." for checked in report.files if checked.own)
    if report.not_run:
        yield f"{len(report.not_run)} rules about deletions and replacements could not run: they need a plan."
    if mandatory + advisory:
        yield f"Next: {explaining(found.rule for found in report)}"


class Edit(Model):
    at: str = Field(description="Property of the resource, as the engine names it, e.g. tagSpecifications[0].tags")
    write: dict[str, Any] | list[Any] = Field(
        description="Members to set in that map, or elements to append to that list; replace empty strings with your "
        "own values"
    )


class Finding(Model):
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
    exemption: str | None = Field(
        description="JSON of the exemption that accepts it, to be completed by reason and owner; without `rule`, it "
        "counts only in the pack's configuration of the rule"
    )


class Nodes(Model):
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


class GpuMachines(Model):
    """One place that names GPU machines."""

    resource: str = Field(description="Logical name")
    urn: str
    type: str
    at: str = Field(description="Property with the name of the machines")
    machine: str = Field(description="Machine type, family or GPU model, as written")
    gpu: str | None = Field(description="Model of its GPUs; null if unknown")
    nodes: int | None = Field(description="The largest number of machines that the program states; null if none")
    gpus: int | None = Field(description="GPUs of all of them")
    cluster: str | None = Field(description="URN of its cluster, or name of one outside of the stack")
    pool: str = Field(description="The same for all places of one training pool")
    verdict: Literal["checked", "open", "aside"]
    why: str | None = Field(description="Why it is not checked, or the label that sets it aside")
    checked: list[str] = Field(description="Rules about such machines that read it")
    not_read_by: list[str] = Field(description="Rules about such machines that do not")
    cannot_tell: dict[str, str] = Field(description="Rule that has no result, and why")


class Machines(GpuMachines):
    file: str


class Check(Model):
    """Result of `gpucluster guardrails check --format json`."""

    schema_version: Literal[1] = 1
    pack: str
    files: list[str]
    findings: list[Finding]
    machines: list[Machines] = Field(description="Every place where GPU machines are named")
    nodes: list[Nodes] = Field(description="Training and MIG pools that a plan changes")
    rules: int = Field(description="Rules that ran")
    not_run: list[str] = Field(
        description="Rules about deletions and replacements that did not run on every file: they need a plan"
    )
    resources: int = Field(description="Resources checked, in all files")
    mandatory: int = Field(description="Mandatory findings; any gives exit code 1")
    advisory: int


def _check(report: Report) -> Check:
    return Check(
        pack=report.pack,
        files=[checked.file for checked in report.files],
        findings=[_finding(found, report) for found in report],
        machines=[
            Machines(file=checked.file, **machine_fields(one)) for checked in report.files for one in checked.machines
        ],
        nodes=[_nodes(checked.file, one) for checked in report.files for one in checked.nodes],
        rules=len(report.rules),
        not_run=[rule.name for rule in report.not_run],
        resources=report.resources,
        mandatory=report.count(Enforcement.MANDATORY),
        advisory=report.count(Enforcement.ADVISORY),
    )


def machine_fields(one: Answer) -> dict[str, Any]:
    """The fields of `GpuMachines`."""
    place = one.place
    return {
        "resource": place.resource.name,
        "urn": place.resource.urn,
        "type": place.resource.type,
        "at": place.path,
        "machine": place.machine,
        "gpu": place.gpu or None,
        "nodes": one.nodes,
        "gpus": one.gpus,
        "cluster": place.cluster,
        "pool": one.pool,
        "verdict": one.verdict,
        "why": one.why or None,
        "checked": list(one.checked),
        "not_read_by": list(one.unread),
        "cannot_tell": dict(one.open),
    }


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
