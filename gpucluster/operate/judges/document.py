"""A report as a document: refused resources, advice, resources without a verdict, and the number of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import AliasPath, Field

from gpucluster.core.documents.document import Document, Notes, Row, Section, Table, table
from gpucluster.core.documents.model import Maybe, Model
from gpucluster.core.text.json_text import schema_of
from gpucluster.operate.judges import verdicts
from gpucluster.operate.judges.verdicts import Outcome

_LONGEST: Final = 300
"""Maximum characters of a remark: some list a thousand values. JSON has them all."""


class Remark(Model):
    path: str = Field(description="The input, such as vpcConfig.subnetIds[0]; empty for the resource as a whole")
    said: str = Field(validation_alias="text", description="The judge's own words")


class Verdict(Model):
    resource: str = Field(validation_alias=AliasPath("resource", "name"), description="Logical name")
    urn: str = Field(validation_alias=AliasPath("resource", "urn"))
    type: str = Field(validation_alias=AliasPath("resource", "type"))
    source_position: str | None = Field(
        validation_alias=AliasPath("resource", "source_position"),
        description="path#line in the program, if the plan has it",
    )
    judge: Maybe = Field(description="Name of the judge; null if none covers the package")
    outcome: Literal["accepted", "refused", "not judged"]
    refusals: list[Remark]
    advice: list[Remark] = Field(description="What the judge accepts with a warning, such as deprecated inputs")
    left: list[str] = Field(description="Inputs that the judge does not cover")
    why: Maybe = Field(description="Why it was not judged")


class Judged(Model):
    """Result of `gpucluster judge --format json`."""

    schema_version: Literal[1] = 1
    file: str
    accepted: int
    refused: int = Field(description="Exit code 1 if there are any")
    not_judged: int = Field(description="Exit code 1 with --strict if there are any")
    verdicts: list[Verdict] = Field(description="One for each resource of a cloud, in the order of the plan")


def json_schema() -> dict[str, Any]:
    """JSON Schema of the report."""
    return schema_of(Judged)


def report_document(found: verdicts.Report, *, closing: bool = True) -> Document:
    """closing: whether the numbers are at its end."""

    def model() -> Judged:
        accepted, refused, not_judged = (len(found.of(outcome)) for outcome in Outcome)
        return Judged(
            file=found.file,
            accepted=accepted,
            refused=refused,
            not_judged=not_judged,
            verdicts=[Verdict.model_validate(verdict) for verdict in found.verdicts],
        )

    return Document(title="", sections=lambda: _sections(found, closing=closing), model=model)


def _sections(found: verdicts.Report, *, closing: bool) -> Iterator[Section]:
    if refused := [_refused(verdict) for verdict in found.of(Outcome.REFUSED)]:
        yield Table(heads=("refused", "type", "line"), rows=refused, left=range(3), wide=None, across=True)
    if advised := [*_advised(found)]:
        yield Table(heads=("advice", "type"), rows=advised, left=range(2), wide=None, across=True)
    types = Counter((verdict.why, verdict.resource.type) for verdict in found.of(Outcome.NOT_JUDGED))
    by_reason: dict[str, list[str]] = {}
    for (why, type_), count in sorted(types.items()):
        by_reason.setdefault(why, []).append(f"{count} {type_}")
    yield from (Notes(f"Not judged: {why}", listed) for why, listed in by_reason.items())
    if closing and found.verdicts:
        rows = [
            [name or "none", *(str(counts[outcome]) for outcome in Outcome)]
            for name, counts in sorted(found.counts.items())
        ]
        yield table(["judge", *(outcome.value for outcome in Outcome)], rows, wide=None)
    elif closing:
        yield "No resources of a cloud."


def _refused(verdict: verdicts.Verdict) -> Row:
    cells = (verdict.resource.name, verdict.resource.type, verdict.resource.source_position or "")
    return Row(cells, [*map(_text, verdict.refusals)], strong=True)


def _advised(found: verdicts.Report) -> Iterator[Row]:
    """Identical advice on many resources is one row."""
    advised: dict[tuple[str, verdicts.Remark], list[str]] = {}
    for verdict in found.verdicts:
        for remark in verdict.advice:
            advised.setdefault((verdict.resource.type, remark), []).append(verdict.resource.name)
    for (type_, remark), names in advised.items():
        few = ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"
        yield Row((few, type_), [_text(remark)], strong=True)


def _text(remark: verdicts.Remark) -> str:
    text = " ".join(remark.text.split())
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."
    return f"{remark.path}: {short}" if remark.path else short
