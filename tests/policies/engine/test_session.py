"""One session of the engine, recorded, replayed against our server and that of Pulumi's SDK: both answer the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from tests.policies.served import served

SESSION = Path(__file__).with_name("session.jsonl")
SUBNET = "aws:ec2/subnet:Subnet"

OURS = """\
from gpucluster.rules import UNKNOWN, Enforcement, NotChecked, ResourceRule, Severity, StackRule, Violation, at

def subnet(resource):
    if resource.type == "SUBNET":
        yield Violation(resource, f"{resource.name} is a subnet")

def count(stack):
    found = stack.resources.of_type("SUBNET")
    if len(found) > stack.config["most"]:
        yield Violation(None, f"{len(found)} subnets in {stack.tags['environment']}")

def placed(stack):
    yield NotChecked("budget")

def any_tag(stack):
    for resource in stack.resources:
        if resource.type == "aws:eks/nodeGroup:NodeGroup" and at(resource.inputs, "launchTemplate", "id") is UNKNOWN:
            yield Violation(resource, "has a new template")

FIELDS = {"why": "w", "fix": "f", "reads": "r", "severity": Severity.HIGH}
MOST = {"most": {"type": "integer", "description": "Most subnets"}}
"""
OURS_RULES = {
    "a_subnet": 'ResourceRule(name="a-subnet", title="A", check=subnet, enforcement=Enforcement.MANDATORY, **FIELDS)',
    "few_subnets": 'StackRule(name="few-subnets", title="B", check=count, config=MOST, exemptible=False, **FIELDS)',
    "a_budget": 'StackRule(name="a-budget", title="C", check=placed, exemptible=False, **FIELDS)',
    "turned_off": 'StackRule(name="turned-off", title="D", check=count, config=MOST, exemptible=False, **FIELDS)',
}
SDK = """\
from pulumi_policy import (EnforcementLevel, PolicyConfigSchema, PolicyPack, ResourceValidationPolicy, Severity,
                           StackValidationPolicy)

def subnet(args, report):
    if args.resource_type == "SUBNET":
        report(f"{args.name} is a subnet", args.urn)

def count(args, report):
    found = [one for one in args.resources if one.resource_type == "SUBNET"]
    if len(found) > args.get_config()["most"]:
        [whole] = [one.urn for one in args.resources if one.resource_type == "pulumi:pulumi:Stack"]
        report(f"{len(found)} subnets in {args.stack_tags['environment']}", whole)

def placed(args, report):
    args.not_applicable("no budget stated")

MOST = PolicyConfigSchema({"most": {"type": "integer", "description": "Most subnets"}})
ADVISORY, MANDATORY = EnforcementLevel.ADVISORY, EnforcementLevel.MANDATORY
PolicyPack("acme", policies=[
    ResourceValidationPolicy("a-subnet", "A", subnet, MANDATORY, severity=Severity.HIGH),
    StackValidationPolicy("a-budget", "C", placed, ADVISORY, severity=Severity.HIGH),
    StackValidationPolicy("few-subnets", "B", count, ADVISORY, MOST, severity=Severity.HIGH),
    StackValidationPolicy("turned-off", "D", count, ADVISORY, MOST, severity=Severity.HIGH),
])
"""


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "_checks.py").write_text(OURS.replace("SUBNET", SUBNET))
    for name, rule in OURS_RULES.items():
        (folder / f"{name}.py").write_text(f"from ._checks import *\nRULE = {rule}\n")
    (folder / "pack.yaml").write_text("extends: none\n")
    (folder / "__main__.py").write_text("from gpucluster.rules import serve\nserve(__file__)\n")
    return _manifest(folder)


@pytest.fixture
def sdk(tmp_path: Path) -> Path:
    folder = tmp_path / "sdk"
    folder.mkdir()
    (folder / "__main__.py").write_text(SDK.replace("SUBNET", SUBNET))
    return _manifest(folder)


def _manifest(folder: Path) -> Path:
    runtime = {"name": "python", "options": {"virtualenv": sys.prefix}}
    (folder / "PulumiPolicy.yaml").write_text(json.dumps({"runtime": runtime, "version": "0.0.1"}))
    return folder


def _session() -> Iterator[tuple[str, dict[str, Any]]]:
    for line in SESSION.read_text().splitlines():
        step = json.loads(line)
        if step["method"] == "Configure":
            levels = {"a-subnet": "MANDATORY", "few-subnets": "ADVISORY", "turned-off": "DISABLED"}
            config = {name: {"enforcementLevel": level, "properties": {"most": 0}} for name, level in levels.items()}
            step["request"] = {"policyConfig": config}
        if step["method"] == "ConfigureStack":
            step["request"]["tags"] = {"environment": "trial"}
        yield step["method"], step["request"]


def _asked(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Each call and its answer."""
    made = {
        "GetAnalyzerInfo": empty_pb2.Empty,
        "GetPluginInfo": empty_pb2.Empty,
        "Handshake": analyzer_pb2.AnalyzerHandshakeRequest,
        "Configure": analyzer_pb2.ConfigureAnalyzerRequest,
        "ConfigureStack": analyzer_pb2.AnalyzerStackConfigureRequest,
        "Analyze": analyzer_pb2.AnalyzeRequest,
        "AnalyzeStack": analyzer_pb2.AnalyzeStackRequest,
        "Cancel": empty_pb2.Empty,
    }
    with served(folder) as (stub, _):
        return [
            (method, _answer(stub, method, json_format.ParseDict(request, made[method]())))
            for method, request in _session()
        ]


def _answer(stub: analyzer_pb2_grpc.AnalyzerStub, method: str, request: Any) -> dict[str, Any]:
    try:
        return json_format.MessageToDict(getattr(stub, method)(request))
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED, (method, error)
        return {}


def _same(method: str, answer: dict[str, Any]) -> object:
    """What both servers must say of a call: not the words of ours, which add reason and fix."""
    if method == "GetAnalyzerInfo":
        fields = ("name", "enforcementLevel", "policyType", "severity", "configSchema")
        return answer["name"], [[policy.get(field) for field in fields] for policy in answer["policies"]]
    if method in ("Handshake", "GetPluginInfo"):  # the first is not in the SDK, the second has its version
        return None
    fields = ("policyName", "policyPackName", "policyPackVersion", "description", "enforcementLevel", "urn", "severity")
    return [
        [[one.get(field) for field in fields] + [_text(one)] for one in answer.get("diagnostics", [])],
        answer.get("notApplicable", []),
    ]


def _text(diagnostic: dict[str, Any]) -> str:
    """What is wrong: the SDK puts the policy's description before it, ours reason and fix after it."""
    return diagnostic["message"].removeprefix(f"{diagnostic['description']}\n").split("\n")[0]


def test_both_servers_answer_a_session_of_the_engine_alike(ours: Path, sdk: Path) -> None:
    mine, theirs = ([(method, _same(method, answer)) for method, answer in _asked(each)] for each in (ours, sdk))
    assert mine == theirs
    found: list[Any] = [answer for method, answer in mine if method.startswith("Analyze") and answer != [[], []]]
    assert [[diagnostic[0] for diagnostic in diagnostics] for diagnostics, _ in found] == [
        ["a-subnet"],
        ["few-subnets"],
    ]
    assert found[-1][1] == [{"policyName": "a-budget", "reason": "no budget stated"}]


def test_at_an_unknown_value_ours_goes_on_where_the_sdk_drops_the_rule(ours: Path, sdk: Path) -> None:
    """The reason for a server of our own."""
    rule = 'StackRule(name="few-subnets", title="B", check=any_tag, config=MOST, exemptible=False, **FIELDS)'
    (ours / "few_subnets.py").write_text(f"from ._checks import *\nRULE = {rule}\n")
    program = (sdk / "__main__.py").read_text()
    count = program.index("def count"), program.index("def placed")
    touching = """\
def count(args, report):
    for one in args.resources:
        if one.resource_type == "aws:eks/nodeGroup:NodeGroup" and one.props["launchTemplate"]["id"]:
            report("has a new template", one.urn)

"""
    (sdk / "__main__.py").write_text(program[: count[0]] + touching + program[count[1] :])
    (_, mine), (_, theirs) = (next(one for one in _asked(each) if one[0] == "AnalyzeStack") for each in (ours, sdk))
    assert [one["message"].split("\n")[0] for one in mine["diagnostics"]] == ["has a new template"]
    [dropped] = theirs["diagnostics"]
    assert dropped["message"].startswith("can't run policy 'few-subnets'")
