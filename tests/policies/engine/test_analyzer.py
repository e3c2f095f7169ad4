"""The pack, started as the engine starts it and asked over its own protocol."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from typing import IO, Any

import grpc
import pytest
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from gpucluster.core.program.closing import FOLDER_VARIABLE, handed_over
from gpucluster.core.program.readers.records import SIGNATURE
from gpucluster.policies.engine.rule import ResourceRule
from gpucluster.policies.packs import TRAINING
from tests.cases import cases
from tests.policies.previews import PACK as PACK_FOLDER
from tests.policies.served import served
from tests.says import Says

SECRET = "1b47061264138c4ac30d75fd1eb44270"
ASSET = "c44067f5952c0a294b673a41bacd8c17"


class Engine:
    """The engine's side: Analyze for every resource, then AnalyzeStack."""

    def __init__(self, stub: analyzer_pb2_grpc.AnalyzerStub, stdout: IO[str]) -> None:
        self.stub, self.stdout = stub, stdout

    def configure(self, *, level: str = "MANDATORY", **policies_: dict[str, Any]) -> None:
        request = analyzer_pb2.ConfigureAnalyzerRequest()
        for name, properties in policies_.items():
            config = request.policyConfig[name.replace("_", "-")]
            config.enforcementLevel = analyzer_pb2.EnforcementLevel.Value(level)
            config.properties.update(properties)
        self.stub.Configure(request)

    def remediated(self, type_: str, properties: dict[str, Any], *, within: str = "") -> dict[str, Any] | None:
        """The inputs of a resource after the remediations, None where there was none."""
        urn = f"urn:pulumi:test::test::{within}{type_}::one"
        request = analyzer_pb2.AnalyzeRequest(type=type_, urn=urn, name="one")
        request.properties.update(properties)
        try:
            made = self.stub.Remediate(request).remediations
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNIMPLEMENTED  # which the engine takes for none
            return None
        assert [remediation.policyName for remediation in made] in ([], ["required-labels"])
        return json_format.MessageToDict(made[0].properties) if made else None

    def run(self, program) -> list[tuple[str, str, str]]:
        """(policy, level, message) of every diagnostic."""
        request = program.request()
        diagnostics = []
        for resource in request.resources:
            one = analyzer_pb2.AnalyzeRequest(
                type=resource.type, urn=resource.urn, name=resource.name, properties=resource.properties
            )
            diagnostics += self.stub.Analyze(one).diagnostics
        diagnostics += self.stub.AnalyzeStack(request).diagnostics
        return [(d.policyName, analyzer_pb2.EnforcementLevel.Name(d.enforcementLevel), d.message) for d in diagnostics]


@pytest.fixture
def engine():
    """A pack of the test's own, which keeps what it has seen."""
    with served(PACK_FOLDER) as started:
        yield Engine(*started)


@pytest.fixture(scope="module")
def remediating():
    """One pack for all tests that only ask for remediations, each with its own configuration."""
    with served(PACK_FOLDER) as started:
        yield Engine(*started)


def test_the_engine_is_told_every_policy(engine):
    info = engine.stub.GetAnalyzerInfo(empty_pb2.Empty())
    assert info.name == "training"
    rules = [rule for rule in TRAINING.rules if rule not in TRAINING.change_rules]
    of_resources = [rule for rule in rules if isinstance(rule, ResourceRule)]
    seen = [rule.name for rule in (*of_resources, *(rule for rule in rules if rule not in of_resources))]
    assert [policy.name for policy in info.policies] == seen
    mandatory = {p.name for p in info.policies if p.enforcementLevel == analyzer_pb2.MANDATORY}
    assert mandatory == TRAINING.mandatory & set(seen)


def test_a_compliant_program_has_no_finding(engine, program):
    assert engine.run(program) == []


def test_the_last_line_says_what_the_pack_cannot_run(engine, program):
    assert engine.run(program) == []
    assert engine.stdout.readline() == (
        "training: 5 rules about deletions and replacements cannot run in a preview; "
        "`gpucluster guardrails check` runs them on its plan (preview --json --show-sames)\n"
    )


def test_a_seeded_mistake_is_a_mandatory_finding_with_what_why_and_fix(engine, program):
    del program["template"]["placement"]
    program.depends("template", "placement")
    [(policy, level, message)] = engine.run(program)
    assert (policy, level) == ("training-pool-in-one-domain", "MANDATORY")
    what, why, fix, see = message.split("\n")
    assert what == Says("5", "p5.48xlarge", "no", "no")
    assert why.startswith("why: ")
    assert fix.startswith("fix: ")
    assert see == "see: gpucluster guardrails explain training-pool-in-one-domain"


def test_what_cannot_be_decided_is_advisory(engine, program):
    program["group"]["strategy"] = program.unknown
    [(policy, level, message)] = engine.run(program)
    assert (policy, level) == ("not-known-yet", "ADVISORY")
    assert message == Says("training-pool-in-one-domain", "not evaluated", "group")


def test_inputs_of_a_preview_count_and_not_outputs_that_are_still_unknown(engine, program):
    """In a preview a provider answers UNKNOWN for what nobody set."""
    del program["template"]["placement"]
    program.depends("template", "placement")
    request = program.request()
    for resource in request.resources:
        one = analyzer_pb2.AnalyzeRequest(
            type=resource.type, urn=resource.urn, name=resource.name, properties=resource.properties
        )
        engine.stub.Analyze(one)
        if resource.name == "template":
            resource.properties.update({"placement": program.unknown, "tags": program.unknown})
    policies_ = [d.policyName for d in engine.stub.AnalyzeStack(request).diagnostics]
    assert policies_ == ["training-pool-in-one-domain"]


def test_an_exemption_in_force_is_advisory_every_time(engine, program):
    del program["template"]["placement"]
    program["trial"]["exemptions"] = [
        {
            "rule": "training-pool-in-one-domain",
            "resource": "train",
            "reason": "bandwidth is not needed",
            "owner": "ada",
            "until": str(datetime.date.today() + datetime.timedelta(days=30)),
        }
    ]
    first, second = engine.run(program), engine.run(program)
    assert [(policy, level) for policy, level, _ in first] == [("exemptions-in-use", "ADVISORY")]
    assert first == second


def test_a_secret_is_never_printed(engine, program):
    secret = {SIGNATURE: SECRET, "value": "hunter2 #" * 40}
    program["template"]["userData"] = secret
    program["group"]["tags"]["owner"] = secret
    found = engine.run(program)
    assert {policy for policy, _, _ in found} == {"label-values", "required-labels"}
    assert "hunter2" not in json.dumps(found)


def test_settings_of_a_policy_reach_its_rule(engine, program):
    engine.configure(required_labels={"labels": {"team": "sales"}})
    messages = {line.partition(": ")[2] for _, _, message in engine.run(program) for line in message.split("\n")}
    assert "tags: `team` not the required value" in messages


def test_at_level_remediate_labels_are_added_and_nothing_else_is_touched(remediating, program):
    remediating.configure(level="REMEDIATE", required_labels={"labels": {"team": "research", "owner": "ada"}})
    secret = {SIGNATURE: SECRET, "value": "hunter2"}
    nested = {"secret": [secret, {"unknown": program.unknown}], "number": 5.0, "none": None, "__defaults": []}
    asset = {SIGNATURE: ASSET, "text": "code"}
    rest = {"description": program.unknown, "asset": asset, "secret": secret, "nested": nested}
    tags = {"team": "sales", "cost": secret, "of": program.unknown}
    assert remediating.remediated("aws:ec2/vpc:Vpc", {**rest, "tags": tags}) == {
        **rest,
        "tags": {**tags, "owner": "ada"},
    }


@cases
def test_labels_are_added_where_the_type_has_them_and_as_its_cloud_takes_them(remediating, type_, properties, added):
    remediating.configure(
        level="REMEDIATE", required_labels={"labels": {"team": "AI", "owner": "ada"}, "keys": ["cost"]}
    )
    assert remediating.remediated(type_, properties) == added


def test_no_label_is_added_where_it_is_not_asked_for_known_or_ours(remediating, program):
    vpc, labels = "aws:ec2/vpc:Vpc", {"labels": {"team": "research"}}
    remediating.configure(required_labels=labels)
    off = remediating.remediated(vpc, {})
    remediating.configure(level="REMEDIATE", required_labels={"keys": ["team"]})
    no_value = remediating.remediated(vpc, {})
    remediating.configure(level="REMEDIATE", required_labels=labels)
    done = remediating.remediated(vpc, {"tags": {"team": "research"}})
    another = remediating.remediated(vpc, {"tags": {"team": "sales"}})
    unknown = remediating.remediated(vpc, {"tags": program.unknown})
    ours = remediating.remediated(vpc, {}, within="shop:index:Shop$gpucluster:aws:Network$")
    no_labels = remediating.remediated("aws:ec2/route:Route", {})
    component = remediating.remediated("shop:index:Shop", {})
    assert [off, no_value, done, another, unknown, ours, no_labels, component] == [None] * 8
    assert remediating.remediated(vpc, {}, within="shop:index:Shop$") == {"tags": {"team": "research"}}


def test_labels_of_the_machines_a_resource_starts_are_not_added(remediating):
    remediating.configure(level="REMEDIATE", required_labels={"labels": {"team": "research"}})
    tags = {"tags": {"team": "research"}}
    for type_, properties in (
        ("aws:ec2/launchTemplate:LaunchTemplate", {**tags, "tagSpecifications": []}),
        ("aws:eks/nodeGroup:NodeGroup", {**tags, "labels": {}}),
        ("gcp:container/nodePool:NodePool", {"nodeConfig": {"labels": {}}}),
        ("azure-native:containerservice:AgentPool", {**tags, "nodeLabels": {}}),
    ):
        assert remediating.remediated(type_, properties) is None


def test_tags_that_are_a_secret_as_a_whole_are_left_alone_and_that_is_said(remediating):
    remediating.configure(level="REMEDIATE", required_labels={"labels": {"team": "research"}})
    secret = {SIGNATURE: SECRET, "value": {"owner": "hunter2"}}
    assert remediating.remediated("aws:ec2/vpc:Vpc", {"tags": secret}) is None
    assert remediating.stdout.readline() == "required-labels: one is unchanged: TypeError\n"


def test_what_a_remediation_left_is_a_mandatory_finding(engine, program):
    del program["group"]["tags"]
    engine.configure(level="REMEDIATE", required_labels={"labels": {"team": "research"}})
    found = [(policy, level, message.split("\n")[0]) for policy, level, message in engine.run(program)]
    assert found == [("required-labels", "MANDATORY", "tags: `team` missing")]


def test_a_level_that_is_configured_takes_the_place_of_the_rules_own(engine, program):
    del program["template"]["placement"]
    program.depends("template", "placement")
    engine.configure(level="ADVISORY", training_pool_in_one_domain={})
    advisory = [(policy, level) for policy, level, _ in engine.run(program)]
    engine.configure(level="DISABLED", training_pool_in_one_domain={})
    assert (advisory, engine.run(program)) == ([("training-pool-in-one-domain", "ADVISORY")], [])


def test_a_rule_about_one_resource_says_that_it_mends_nothing(remediating):
    remediating.configure(level="REMEDIATE", fabric_interfaces_valid={})
    asked = analyzer_pb2.AnalyzeRequest(type="aws:ec2/vpc:Vpc", urn="urn:pulumi:test::test::aws:ec2/vpc:Vpc::one")
    response = remediating.stub.Remediate(asked)
    assert [(one.policy_name, one.reason) for one in response.not_applicable] == [
        ("fabric-interfaces-valid", "Policy does not implement remediate")
    ]
    assert not response.remediations


def test_a_finding_comes_with_what_the_engine_shows_and_stores(engine, program):
    del program["group"]["tags"]
    [diagnostic] = engine.stub.AnalyzeStack(program.request()).diagnostics
    rule = next(rule for rule in TRAINING.rules if rule.name == "required-labels")
    assert json_format.MessageToDict(diagnostic) == {
        "policyName": "required-labels",
        "policyPackName": "training",
        "policyPackVersion": "0.0.1",
        "description": rule.title,
        "message": "tags: `owner`, `team` missing\n"
        f"why: {rule.why}\n"
        "fix: Write the labels owner=ada, team=research; `gpucluster guardrails check` prints where.\n"
        "see: gpucluster guardrails explain required-labels",
        "enforcementLevel": "MANDATORY",
        "urn": program.declared["group"].urn,
        "severity": f"POLICY_SEVERITY_{rule.severity.name}",
    }


def test_serving_needs_no_policy_sdk_and_loads_neither_prices_nor_commands_before_the_engine_has_its_port():
    late = "{'pulumi_policy', 'gpucluster.cost', 'click'} & {*sys.modules}"
    code = f"import sys, gpucluster.policies.engine.serve, gpucluster.policies.packs; print({late})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_a_misspelt_setting_is_a_finding(engine, program):
    engine.configure(budget={"montly": "5"})
    assert [(policy, message.split("\n")[0]) for policy, _, message in engine.run(program)] == [
        ("budget", Says("unknown", "montly", "monthly"))
    ]


def test_the_findings_of_one_rule_are_one_with_the_list_of_resources(engine, program):
    for name in ("gpu-subnet", "efa", "group"):
        del program[name]["tags"]
    program["efa-ingress"]["tags"] = {"owner": "ada"}
    [found] = [message for policy, _, message in engine.run(program) if policy == "required-labels"]
    wrong, _, rest = found.partition("\nwhy: ")
    assert sorted(wrong.split("\n")) == [
        "4 findings",
        "efa-ingress: tags: `team` missing",
        "group, efa, gpu-subnet: tags: `owner`, `team` missing",
    ]
    assert rest.split("\n")[1:] == [
        "fix: Write the labels owner=ada, team=research; `gpucluster guardrails check` prints where.",
        "see: gpucluster guardrails explain required-labels",
    ]


def test_the_closing_block_is_handed_the_number_of_findings_and_the_field_to_edit(program, monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    del program["template"]["placement"]
    program.depends("template", "placement")
    with served(PACK_FOLDER) as started:
        engine = Engine(*started)
        engine.configure(level="ADVISORY", budget={"monthly": 1})
        engine.run(program)
    [findings] = handed_over(tmp_path).values()
    assert findings["findings"] == [
        {
            "rule": "training-pool-in-one-domain",
            "explain": "gpucluster guardrails explain training-pool-in-one-domain",
            "level": "mandatory",
            "count": 1,
            "field": "",
        },
        {
            "rule": "budget",
            "explain": "gpucluster guardrails explain budget",
            "level": "advisory",
            "count": 1,
            "field": "budget.monthly_usd",
        },
    ]


def test_a_broken_resource_does_not_end_the_run(engine, program):
    """Shapes no rule expects: whatever happens is said in a rule's name, and the other rules still speak."""
    program["train"]["scalingConfig"] = ["not", "a", "map"]
    program["template"]["networkInterfaces"] = {"not": "a list"}
    program["template"]["tagSpecifications"] = 5.0
    program["group"]["tags"] = [1.0, None, "x"]
    found = engine.run(program)
    assert "required-labels" in {policy for policy, _, _ in found}
    assert not [message for _, _, message in found if message.startswith("rule failed")]


def test_a_finding_of_no_single_resource_has_the_urn_of_the_stack(engine, program):
    del program.declared["trial"]  # no label and no budget is stated
    found = {d.policyName: d.urn for d in engine.stub.AnalyzeStack(program.request()).diagnostics}
    stack, project = next(iter(program.declared.values())).urn.removeprefix("urn:pulumi:").split("::")[:2]
    assert found["not-checked"] == f"urn:pulumi:{stack}::{project}::pulumi:pulumi:Stack::{project}-{stack}"
