"""A compliant training cluster as the engine would send it, to be broken one property at a time."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import analyzer_pb2

import gpucluster.policies
from gpucluster.core.program.readers.policy import resource_of, resources_of
from gpucluster.core.program.readers.records import UNKNOWN_TEXT as UNKNOWN
from gpucluster.policies.engine.rule import ResourceRule, Rule, Stack, message
from gpucluster.policies.engine.run import evaluate, run_resource_rule
from gpucluster.policies.engine.settings import Settings
from tests.policies.programs import PROVIDERS, REFERENCE, filled, program_of

LABELS = {"team": "research", "owner": "ada"}
TODAY = datetime.date(2026, 11, 21)
PROVIDER = "urn:pulumi:test::test::pulumi:providers:aws::default"
COMPONENT = "urn:pulumi:test::test::gpucluster:aws:TrainingCluster::trial"


@dataclass
class Declared:
    """One resource as the engine sends it; `dependencies` maps a property to logical names."""

    type: str
    name: str
    properties: dict[str, Any]
    dependencies: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    custom: bool = True
    keeps: list[str] = field(default_factory=list[str])

    @property
    def urn(self) -> str:
        return f"urn:pulumi:test::test::{self.type}::{self.name}" if self.custom else COMPONENT


class Program:
    """A program's resources by logical name."""

    unknown = UNKNOWN
    labels = LABELS
    today = TODAY

    def __init__(self, declared: list[Declared]) -> None:
        self.declared = {resource.name: resource for resource in declared}
        self.provider_inputs: dict[str, Any] = {}
        self.outside: set[str] = set()
        """Names of resources that the component does not surround."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        return self.declared[name].properties

    def add(self, type_: str, name: str, properties: dict[str, Any], **dependencies: list[str]) -> None:
        self.declared[name] = Declared(type_, name, properties, dependencies)

    def remove(self, name: str) -> None:
        """Take a resource away, and every reference to it."""
        del self.declared[name]
        for resource in self.declared.values():
            for names in resource.dependencies.values():
                if name in names:
                    names.remove(name)

    def depends(self, name: str, property_: str, *names: str) -> None:
        self.declared[name].dependencies[property_] = list(names)

    def keep(self, name: str, *properties: str) -> None:
        """Its options leave these properties as they were made."""
        self.declared[name].keeps = list(properties)

    def stack(self) -> Stack:
        return Stack(resources=resources_of(self.request().resources), today=TODAY)

    def asked(self, name: str) -> analyzer_pb2.AnalyzeRequest:
        """One resource as the engine's own message."""
        [sent] = (sent for sent in self.request().resources if sent.name == name)
        return analyzer_pb2.AnalyzeRequest(
            type=sent.type,
            urn=sent.urn,
            name=sent.name,
            properties=sent.properties,
            options=sent.options,
            provider=sent.provider if sent.HasField("provider") else None,
        )

    def request(self) -> analyzer_pb2.AnalyzeStackRequest:
        """All resources as the engine's own message."""
        request = analyzer_pb2.AnalyzeStackRequest()
        for name, resource in self.declared.items():
            sent = request.resources.add(type=resource.type, urn=resource.urn, name=resource.name)
            sent.properties.update(resource.properties)
            sent.options.ignoreChanges.extend(resource.keeps)
            if resource.custom:
                sent.parent = "" if name in self.outside else COMPONENT
                sent.provider.type, sent.provider.urn, sent.provider.name = "pulumi:providers:aws", PROVIDER, "default"
                sent.provider.properties.update(self.provider_inputs)
            for prop, names in resource.dependencies.items():
                sent.propertyDependencies[prop].urns.extend(self.declared[name].urn for name in names)
        return request


def _program(name: str, provider: str) -> Program:
    """A program of `programs/`, as the engine sends it."""
    declared: list[Declared] = []
    for resource, of in program_of(name).items():
        properties: dict[str, Any] = of["properties"]
        sources = {key: list(dict.fromkeys(REFERENCE.findall(str(value)))) for key, value in properties.items()}
        for key, names in of.get("needs", {}).items():
            sources[key] = [*sources.get(key, []), *names]
        known = {key: filled(value) for key, value in properties.items()}
        needs = {key: names for key, names in sources.items() if names and names != ["unknown"]}
        declared.append(Declared(of["type"], resource, known, needs, custom=not of.get("component", False)))
    program = Program(declared)
    program.provider_inputs = dict(PROVIDERS[provider])
    return program


@pytest.fixture
def program() -> Program:
    """Four training nodes and a spare of p5.48xlarge, in one group, zone and security group, labelled."""
    return _program("aws-trial", "aws")


@pytest.fixture
def high() -> Program:
    """Five a3-highgpu-8g with their four GPU VPCs."""
    return _program("gcp-a3-highgpu", "gcp")


@pytest.fixture
def mega() -> Program:
    """Five a3-megagpu-8g with their eight GPU VPCs."""
    return _program("gcp-a3-megagpu", "gcp")


@pytest.fixture
def ultra() -> Program:
    """Five a3-ultragpu-8g with a gVNIC VPC and the eight subnets of a RoCE VPC."""
    return _program("gcp-a3-ultragpu", "gcp")


@pytest.fixture
def nd() -> Program:
    """An AKS cluster with five Standard_ND96isr_H100_v5, as azure-native's inputs arrive: ids are not known yet."""
    return _program("azure-trial", "azure-native")


Found = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def own_project(tmp_path: Path) -> Path:
    """This repository's own program, with its stacks, in a folder of its own."""
    checkout = Path(gpucluster.policies.__file__).parent.parent
    shutil.copy(checkout / "Pulumi.yaml", tmp_path)
    shutil.copytree(checkout / "stacks", tmp_path / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / ".venv").symlink_to(checkout / ".venv")
    return tmp_path


@pytest.fixture
def found() -> Found:
    """(resource, what) of every violation of a rule, as the engine sends the program."""

    def run(rule: Rule, program: Program, config: dict[str, Any] | None = None) -> list[tuple[str, str]]:
        return [(v.resource.name if v.resource else "", v.what) for v in _outcome(rule, program, config).violations]

    return run


@pytest.fixture
def unknown() -> Found:
    """(resource, what) of everything a rule did not evaluate."""

    def run(rule: Rule, program: Program, config: dict[str, Any] | None = None) -> list[tuple[str, str]]:
        return [(v.resource.name if v.resource else "", v.what) for v in _outcome(rule, program, config).unknown]

    return run


@pytest.fixture
def messages() -> Callable[..., list[str]]:
    """The whole text of every violation of a rule."""

    def run(rule: Rule, program: Program, config: dict[str, Any] | None = None) -> list[str]:
        return [message(rule, [violation]) for violation in _outcome(rule, program, config).violations]

    return run


def _outcome(rule: Rule, program: Program, config: dict[str, Any] | None) -> Any:
    if isinstance(rule, ResourceRule):
        outcomes = [run_resource_rule(rule, resource_of(program.asked(name))) for name in program.declared]
        return type(
            "Outcomes",
            (),
            {
                "violations": [v for outcome in outcomes for v in outcome.violations],
                "unknown": [v for outcome in outcomes for v in outcome.unknown],
            },
        )
    settings = Settings(configs={rule.name: config or {}})
    return evaluate([rule], program.stack().resources, today=TODAY, settings=settings)[0]
