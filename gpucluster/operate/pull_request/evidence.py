"""The results of a pull request's previews: a file from the job that runs its code to the one that judges.

Its reader trusts nothing in it: it has at most `LARGEST` bytes, contains only what the schema allows, and its claims
about commits and files are not used if the forge provides them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from gpucluster.core.program.readers.records import NotReadable, call_of
from gpucluster.core.program.values import is_list, is_object
from gpucluster.core.text.json_text import schema_of

LARGEST: Final = 64_000_000
"""Bytes; a plan of 10,000 resources takes about half of it."""

_PROBLEMS: Final = 10
"""Maximum reported problems of a file."""

Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9._-]+$")]
FileName = Annotated[str, StringConstraints(max_length=60, pattern=r"^[a-z0-9-]+\.csv$")]
Text = Annotated[str, StringConstraints(max_length=4_000)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PriceFiles(_Model):
    """The price book of both sides, file by file, where they differ."""

    before: dict[FileName, str] = Field(max_length=50)
    after: dict[FileName, str] = Field(max_length=50)


class JobEvidence(_Model):
    """A job of the change, rehearsed on the live cluster of the change."""

    title: Annotated[str, StringConstraints(max_length=600)]
    source: Annotated[str, StringConstraints(max_length=4_096)]
    verdict: Literal["runs", "refused", "waits", "unknown"]
    why: Text = ""
    hourly: Annotated[str, StringConstraints(pattern=r"^\d{1,12}(\.\d{1,12})?$")] | None = Field(
        default=None, description="USD an hour of its machines; omitted if one has no price"
    )


class PackFinding(_Model):
    """A finding of a policy pack that the engine ran."""

    pack: Annotated[str, StringConstraints(max_length=200)]
    policy: Annotated[str, StringConstraints(max_length=400)]
    level: Literal["mandatory", "advisory"]
    resource: Annotated[str, StringConstraints(max_length=1_000)] = Field(description="Name; empty for the whole stack")
    message: Text


class StackEvidence(_Model):
    """One stack.

    base: what became of the base: `built`, and the plan is one on its state; `absent`, the stack is new; `failed`, so
    that there is no comparison. head: `planned`; `absent`, it has no configuration; `failed`.
    The state has the region of default providers, which the plan knows of the head alone.
    """

    name: Name
    base: Literal["built", "absent", "failed"]
    base_problem: Text = Field(default="", description="Why there is no comparison")
    head: Literal["planned", "absent", "failed"]
    head_problem: Text = Field(default="", description="Why there is no plan")
    state: dict[str, Any] | None = Field(default=None, description="pulumi stack export of the base, shortened")
    plan: dict[str, Any] | None = Field(default=None, description="pulumi preview --json --show-sames, shortened")
    computed_ends: list[Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]] = Field(
        default=[], max_length=1_000, description="Last days of exemptions in the plan that no file of the change has"
    )
    packs_before: list[PackFinding] = Field(
        default=[], max_length=10_000, description="What --policy-pack finds in the base"
    )
    packs_after: list[PackFinding] = Field(
        default=[], max_length=10_000, description="What --policy-pack finds in the change"
    )
    packs_problem: Text = Field(default="", description="Why those packs did not run")
    jobs: list[JobEvidence] = Field(default=[], max_length=1_000, description="What --jobs rehearsed")
    jobs_problem: Text = Field(default="", description="Why its jobs were not rehearsed")


class Evidence(_Model):
    """What `gpucluster guardrails pr-check --evidence FILE` writes."""

    schema_version: Literal[1] = 1
    base: Commit
    head: Commit
    changed_files: list[Annotated[str, StringConstraints(max_length=4_096)]] = Field(max_length=100_000)
    stacks: list[StackEvidence] = Field(min_length=1, max_length=100)
    prices: PriceFiles | None = None


def read_evidence(text: bytes, what: str) -> Evidence:
    """The evidence in a file. Raises NotReadable with the reason if it cannot be used."""
    if len(text) > LARGEST:
        raise NotReadable(f"{what} has {len(text):,} bytes; more than {LARGEST:,} are not read")
    try:
        return Evidence.model_validate_json(text)
    except ValidationError as error:
        raise NotReadable(problems(error, what)) from None


def problems(error: ValidationError, what: str) -> str:
    """Violations of the schema, a line for each of the first few."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{what}: {'.'.join(map(str, item['loc'])) or 'the file'}: {item['msg']}" for item in found]
    more = len(lines) - _PROBLEMS
    return "\n".join([*lines[:_PROBLEMS], *([f"{what}: and {more} more like these"] if more > 0 else [])])


_KEPT: Final = (
    "urn",
    "type",
    "custom",
    "inputs",
    "outputs",
    "parent",
    "provider",
    "propertyDependencies",
    "sourcePosition",
    "external",
    "delete",
    "retainOnDelete",
)
"""Fields of a resource that readers use, beside the call of a component in its stack trace. The rest of the traces is
most of the omitted content."""


def kept_of_plan(document: Mapping[str, Any]) -> dict[str, Any]:
    """A plan with only the fields that its readers use."""
    summary, config = document.get("changeSummary"), document.get("config")
    return {
        "config": config if is_object(config) else {},
        "changeSummary": summary if is_object(summary) else {},
        "steps": [_step(step) for step in _objects(document.get("steps"))],
        "diagnostics": [
            {"severity": "error", "message": str(item.get("message", ""))[:4_000]}
            for item in _objects(document.get("diagnostics"))
            if item.get("severity") == "error"
        ],
    }


def kept_of_state(resources: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The resources of `pulumi stack export`, with only the fields that their readers use."""
    return {"version": 3, "deployment": {"resources": [_resource(item) for item in resources]}}


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    """One step; the state contains all of its old resource except whether it is kept in the cloud."""
    old, new = step.get("oldState"), step.get("newState")
    kept = {"oldState": {"retainOnDelete": True}} if is_object(old) and old.get("retainOnDelete") is True else {}
    will = {"newState": _resource(new)} if is_object(new) else {}
    reasons = {"replaceReasons": step["replaceReasons"]} if step.get("replaceReasons") else {}
    return {"op": step.get("op"), "urn": step.get("urn"), **reasons, **kept, **will}


def _resource(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: record[key] for key in _KEPT if record.get(key) not in (None, {}, [])}
    return {**kept, "stackTrace": call} if (call := call_of(record)) else kept


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (item for item in value if is_object(item)) if is_list(value) else ()


def json_schema() -> dict[str, Any]:
    """JSON Schema of the file."""
    return schema_of(Evidence, "validation")
