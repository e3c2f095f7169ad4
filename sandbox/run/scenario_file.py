"""Reads a scenario file, `gpucluster sandbox --scenario FILE pulumi ...`, into events of the simulated clouds.

docs/plan/scenarios.md describes its fields. A rule about several fields is on the last of them, and is skipped if an
earlier one is already invalid: so every mistake in a file is reported exactly once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from gpucluster.core.catalog.clouds import cloud_of_package, clouds
from gpucluster.core.text.type_guards import is_object
from gpucluster.core.text.typed import Source, typed, yaml_document
from gpucluster.core.text.values import shown_value
from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.events.long_running import long_running_types
from gpucluster.sandbox.clouds.events.quotas import quota_kinds
from gpucluster.sandbox.clouds.events.scenario import (
    Call,
    Capacity,
    Data,
    Disturbance,
    Drift,
    Existing,
    Fails,
    Quota,
    Scenario,
)
from gpucluster.sandbox.clouds.events.weather import answer
from gpucluster.sandbox.clouds.registry import SIMULATED
from gpucluster.sandbox.project.project import Project, replace_text

ORGANIZATION: Final = "organization"
"""The only organization of Pulumi's file backend (pulumi/pulumi pkg/backend/diy/store.go)."""


def put_other_stacks(project: Project, stacks: Mapping[str, Mapping[str, Any]]) -> None:
    """stacks: `organization/PROJECT/STACK` -> outputs. Raises InputError for a stack of this project."""
    for name, outputs in stacks.items():
        _, other, stack = name.split("/")
        if other == project.name:
            raise InputError(
                f"the scenario has the stack {name}, which belongs to this project: create it with its own `up`"
            )
        resource = {
            "urn": f"urn:pulumi:{stack}::{other}::pulumi:pulumi:Stack::{other}-{stack}",
            "custom": False,
            "type": "pulumi:pulumi:Stack",
            "outputs": outputs,
        }
        latest = {"manifest": {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""}, "resources": [resource]}
        document = {"version": 3, "checkpoint": {"stack": name, "latest": latest}}
        file = project.store.states(other) / f"{stack}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(file, json.dumps(document))


def put_calls(file: Path, calls: Sequence[Call]) -> None:
    """Writes the answers for programs (`sandbox/engine/language_host/calls.py`)."""
    if calls:
        file.write_text(json.dumps([vars(call) for call in calls]), encoding="utf-8")


def _known_cloud(cloud: str) -> str:
    if cloud not in clouds():
        raise ValueError(f"cloud is {cloud!r}; allowed: {', '.join(clouds())}")
    return cloud


def _name_of_a_stack(name: str) -> str:
    if not re.fullmatch(rf"{ORGANIZATION}/(?!\.)[\w.-]+/(?!\.)[\w.-]+", name):
        raise ValueError(
            f"{name} is not a stack name here; write {ORGANIZATION}/PROJECT/STACK, as the program must with "
            "a file backend"
        )
    return name


_Cloud = Annotated[str, AfterValidator(_known_cloud)]
_StackName = Annotated[str, AfterValidator(_name_of_a_stack)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class _Resource(_Part):
    type: str
    inputs: dict[str, Any] = {}


class _Provided(_Part):
    provider: dict[str, Any] = {}
    resources: list[_Resource] = Field(min_length=1)


class _Quota(_Part):
    cloud: _Cloud
    name: str
    region: str = ""
    limit: int = Field(ge=0)
    usage: int = Field(default=0, ge=0)
    stacks: dict[str, Annotated[int, Field(ge=0)]] = {}

    @model_validator(mode="after")
    def _stacks_are_a_part(self) -> Self:
        found = sum(self.stacks.values())
        if found > self.usage:
            raise ValueError(f"stacks use {found:,}, more than the usage, {self.usage:,}: they are a part of it")
        return self

    @field_validator("name")
    @classmethod
    def _is_counted(cls, name: str, info: ValidationInfo) -> str:
        cloud: str | None = info.data.get("cloud")
        if cloud is not None and name.lower() not in (kinds := quota_kinds(cloud)):
            known = ", ".join(sorted(kind.name for kind in kinds.values()))
            raise ValueError(f"name is {name!r}, which is not counted here; known of {cloud}: {known}")
        return name

    @field_validator("region")
    @classmethod
    def _is_where_it_counts(cls, region: str, info: ValidationInfo) -> str:
        kind = quota_kinds(info.data["cloud"])[info.data["name"].lower()] if {"cloud", "name"} <= {*info.data} else None
        if kind is not None and not region and not kind.worldwide:
            raise ValueError(f"region is missing; add the region in which {kind.name} has this limit")
        return region


class _Capacity(_Part):
    cloud: _Cloud
    region: str = ""
    zone: str
    machine: str
    available: int = Field(ge=0)

    @field_validator("zone")
    @classmethod
    def _is_of_one_region(cls, zone: str, info: ValidationInfo) -> str:
        if zone.isdecimal() and info.data.get("region") == "":
            raise ValueError(f"region is missing; the zone {zone} exists in every region")
        return zone


class Operation(_Part):
    """One of `operations`."""

    type: str
    name: str = ""
    request: Literal["", "create", "update", "delete", "read", "any"] = ""
    at: int = Field(default=1, ge=1)
    times: int = Field(default=0, ge=0)
    seconds: float | None = Field(default=None, ge=0, le=86_400)
    fails: Literal["", Fails] = ""
    error: str = ""
    effective: int = Field(default=0, ge=0, le=86_400)

    @field_validator("type")
    @classmethod
    def _is_simulated(cls, type_: str) -> str:
        package = type_.split(":", 1)[0]
        if package not in SIMULATED and "*" not in package:
            known = ", ".join(sorted(SIMULATED))
            raise ValueError(f"type is {type_!r}; it begins with one of {known}, or is a pattern")
        return type_

    @field_validator("seconds")
    @classmethod
    def _lasts(cls, seconds: float | None, info: ValidationInfo) -> float | None:
        wanted = info.data.get("type")
        if seconds is not None and wanted and not any(fnmatchcase(type_, wanted) for type_ in long_running_types()):
            raise ValueError(
                f"seconds is {seconds:g}, and requests for {wanted} are done at once; those that last: "
                f"{', '.join(sorted(long_running_types()))}"
            )
        return seconds

    @field_validator("fails")
    @classmethod
    def _happens_to_the_request(cls, fails: str, info: ValidationInfo) -> str:
        if info.data.get("request") == "read" and fails not in ("", "not-yet", "refused", "throttled"):
            allowed = "not-yet, refused, throttled"
            raise ValueError(f"fails is {fails!r}, which does not happen to a read request; allowed: {allowed}")
        return fails

    @field_validator("error")
    @classmethod
    def _has_a_text(cls, error: str, info: ValidationInfo) -> str:
        fails, type_ = info.data.get("fails"), info.data.get("type")
        if fails in ("refused", "partial") and not error:
            raise ValueError(f"fails is {fails!r}; add `error:`, what the cloud says")
        if fails == "crash" and error:
            raise ValueError("error is set, but a provider that crashes prints none; remove it")
        if fails == "not-yet" and not error and type_ and info.data.get("request") not in ("read", None):
            cloud = cloud_of_package(type_.split(":", 1)[0])
            if cloud is None or answer(cloud.name, fails, type_) is None:
                raise ValueError(
                    f"fails is 'not-yet', for which {type_} has no known text; add `error:` or `request: read`"
                )
        return error


class _Drift(_Part):
    type: str
    name: str = ""
    set: dict[str, Any] = {}
    deleted: bool = False

    @field_validator("deleted")
    @classmethod
    def _is_one_change(cls, deleted: bool, info: ValidationInfo) -> bool:
        if "set" in info.data and bool(info.data["set"]) == deleted:
            raise ValueError("needs `set:` or `deleted: true`, and not both")
        return deleted


class _Data(_Part):
    function: str
    args: dict[str, Any] = {}
    result: dict[str, Any] = Field(min_length=1)


class _Call(_Part):
    url: Annotated[str, Field(pattern="^https?://[^/]+/")]
    body: str = "*"
    result: Any


class File(_Part):
    """All of it."""

    exists: list[_Provided] = []
    quotas: list[_Quota] = []
    capacity: list[_Capacity] = []
    operations: list[Operation] = []
    drift: list[_Drift] = []
    data: list[_Data] = []
    stacks: dict[_StackName, dict[str, Any]] = {}
    calls: list[_Call] = []
    asked: dict[str, Any] = {}
    """Answers that plans read (`gpucluster/core/program/asked.py`)."""


def read_scenario(file: Path) -> Scenario:
    """The scenario of a file; raises InputError with every mistake."""
    source = Source(name=f"the scenario {file}")
    found = yaml_document(file, source)
    content = found.data
    if not is_object(content):
        seen = "is empty" if content is None else f"holds {shown_value(content)}"
        fields = ", ".join(f"{name}:" for name in File.model_fields)
        raise InputError(f"the scenario {file} {seen}; write one or more of {fields}")
    given = typed(content, File, source, [str(fault) for fault in found.faults])
    return Scenario(
        exists=tuple(
            Existing(type=it.type, provider=group.provider, inputs=it.inputs)
            for group in given.exists
            for it in group.resources
        ),
        quotas=tuple(Quota(**it.model_dump()) for it in given.quotas),
        capacity=tuple(Capacity(**it.model_dump()) for it in given.capacity),
        operations=tuple(_disturbance(it) for it in given.operations),
        drift=tuple(Drift(**it.model_dump()) for it in given.drift),
        data=tuple(Data(**it.model_dump()) for it in given.data),
        stacks=given.stacks,
        calls=tuple(Call(**it.model_dump()) for it in given.calls),
    )


def _disturbance(it: Operation) -> Disturbance:
    """An error without `fails` occurs at the end of a lasting operation, otherwise at once."""
    alone = "partial" if any(fnmatchcase(type_, it.type) for type_ in long_running_types()) else "refused"
    wish = Disturbance(**it.model_dump())
    return wish if wish.fails or not wish.error else replace(wish, fails=alone)
