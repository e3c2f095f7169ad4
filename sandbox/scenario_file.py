"""The file of a scenario, `gpucluster sandbox --scenario FILE pulumi ...`, and what it puts into the simulated clouds.

exists:                     # there before any stack; made once, by the cloud's own rules, and never deleted by us
  - provider: {subscriptionId: 00000000-0000-0000-0000-000000000000}
    resources:
      - type: azure-native:resources:ResourceGroup
        inputs: {resourceGroupName: data, location: eastus}
operations:                 # how long what a cloud has accepted goes on, and whether it fails
  - {type: azure-native:containerservice:AgentPool, name: training, seconds: 20}
  - {type: azure-native:network:NatGateway, error: 'Code="InternalServerError"'}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.cloud import Cloud, CloudError, Resource
from gpucluster.sandbox.clouds.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.registry import SIMULATED
from gpucluster.sandbox.clouds.scenario import EXISTS, Existing, LastingOperation, Scenario
from gpucluster.sandbox.clouds.schema import Schema
from gpucluster.sandbox.clouds.sdk import Sdk, how_to_install
from gpucluster.sandbox.clouds.values import plain
from gpucluster.sandbox.narrow import is_object
from gpucluster.textio.values import shown_value
from gpucluster.textio.yaml_text import BadYaml, read

__all__ = ["read_scenario", "seed"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Resource(_Part):
    type: str
    inputs: dict[str, Any] = {}


class _Provided(_Part):
    provider: dict[str, Any] = {}
    resources: list[_Resource] = Field(min_length=1)


class _Operation(_Part):
    type: str
    name: str = ""
    seconds: float | None = Field(default=None, ge=0, le=86_400)
    error: str = ""


class _File(_Part):
    exists: list[_Provided] = []
    operations: list[_Operation] = []


def read_scenario(file: Path) -> Scenario:
    """The scenario of a file; raises InputError with every mistake."""
    try:
        found = read(file)
    except OSError as error:
        raise InputError(f"the scenario {file} cannot be read: {error.strerror}") from error
    except BadYaml as error:
        raise InputError(f"the scenario {file} {error}") from error
    content = found.data
    if not is_object(content):
        seen = "is empty" if content is None else f"holds {shown_value(content)}"
        raise InputError(f"the scenario {file} {seen}; write `exists:` or `operations:`, or both")
    if found.faults:
        raise _wrong(file, [str(fault) for fault in found.faults])
    try:
        given = _File.model_validate(content)
    except ValidationError as error:
        raise _wrong(file, [_line(item) for item in error.errors(include_url=False)]) from error
    problems = [problem for at, it in enumerate(given.operations) if (problem := _unlasting(at, it.type))]
    if problems:
        raise _wrong(file, problems)
    return Scenario(
        exists=tuple(
            Existing(type=it.type, provider=group.provider, inputs=it.inputs)
            for group in given.exists
            for it in group.resources
        ),
        operations=tuple(LastingOperation(**it.model_dump()) for it in given.operations),
    )


def _wrong(file: Path, problems: list[str]) -> InputError:
    count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    return InputError(f"the scenario {file}: {count}\n" + "\n".join(f"  {problem}" for problem in problems))


def _line(item: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in item["loc"])
    if item["type"] == "extra_forbidden":
        return f"{where} is not a field here"
    if item["type"] == "missing":
        return f"{where} is missing; add it"
    return f"{where} is {shown_value(item['input'])}: {item['msg'][:1].lower()}{item['msg'][1:]}"


def _unlasting(at: int, type_: str) -> str:
    lasting = sorted(token for cloud in SIMULATED.values() for token in cloud.lasting)
    if type_ in lasting:
        return ""
    return f"operations.{at}.type is {type_!r}, whose operations are done at once; allowed: {', '.join(lasting)}"


@dataclass(frozen=True)
class _Seed:
    """What is put in, and where it stands in the file."""

    existing: Existing
    urn: str


def seed(scenario: Scenario, sdks: Mapping[str, Sdk], ledger: Ledger) -> None:
    """Makes what the scenario says was there, unless it is; raises InputError where a cloud would refuse it."""
    for each in scenario.exists:
        text = json.dumps([each.type, each.provider, each.inputs], sort_keys=True, default=str)
        found = _Seed(each, f"{EXISTS}:{text}")
        if not any(entry.urn == found.urn for entry in ledger.of_types({each.type})):
            _make(found, sdks, ledger)


def _make(it: _Seed, sdks: Mapping[str, Sdk], ledger: Ledger) -> None:
    each, package = it.existing, it.existing.type.split(":", 1)[0]
    if package not in SIMULATED:
        raise InputError(f"the scenario has {each.type}; simulated here: {', '.join(sorted(SIMULATED))}")
    if package not in sdks:
        raise InputError(f"the scenario has {each.type}, which {how_to_install(package)}")
    cloud = SIMULATED[package]()
    type_ = cloud.resource_type(Schema(sdks[package]), each.type)
    if type_ is None:
        raise InputError(f"the scenario has {each.type}, which {package} {sdks[package].version} does not have")
    refused = cloud.check_config(each.provider)
    if refused:
        raise InputError(f"the scenario's provider of {each.type}: {refused[0].path}: {refused[0].reason}")
    _put(it, cloud, Resource(urn=it.urn, type=type_, inputs=each.inputs), ledger)


def _put(it: _Seed, cloud: Cloud, asked: Resource, ledger: Ledger) -> None:
    try:
        account = cloud.configure(it.existing.provider, ledger)
        failures = account.failures(asked)
        if failures:
            raise CloudError("; ".join(f"{failure.path}: {failure.reason}" for failure in failures))
        inputs = account.defaults(asked, it.urn.encode())
        resource = Resource(urn=it.urn, type=asked.type, inputs=inputs)
        with ledger.exclusive():
            made = account.create(resource)
            outputs = after(resource, made.outputs)
            ledger.put(
                Entry(
                    provider=cloud.package,
                    scope=account.scope(resource.type, plain(outputs)),
                    type=resource.token,
                    id=made.id,
                    name=made.name,
                    urn=it.urn,
                    inputs=inputs,
                    outputs=outputs,
                )
            )
    except CloudError as error:
        raise InputError(f"the scenario's {it.existing.type} cannot be there: {error}") from error
