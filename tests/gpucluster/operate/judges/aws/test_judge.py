"""The judge of pulumi-aws: cfn-lint itself, run once for all of these."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.operate.judges.aws import judge
from gpucluster.operate.judges.aws.judge import NAMES, TYPES
from gpucluster.operate.judges.verdicts import Outcome, Remark, Verdict
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from tests.gpucluster.operate.judges.conftest import resources
from tests.says import Says


def document(action: str, effect: str = "Allow") -> str:
    statement = {"Effect": effect, "Action": action, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


DECLARED: dict[str, tuple[str, dict[str, Any]]] = {
    "good": ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16", "tags": {"a": "b"}}),
    "later": ("aws:ec2/subnet:Subnet", {"vpcId": "${good}", "cidrBlock": "${good}", "availabilityZone": "us-east-1a"}),
    "policy-later": ("aws:iam/rolePolicy:RolePolicy", {"role": "r", "policy": "${good}"}),
    "network": ("aws:ec2/vpc:Vpc", {"cidrBlock": "Bogus-Value"}),
    "machine": ("aws:ec2/launchTemplate:LaunchTemplate", {"metadataOptions": {"httpTokens": "requiredd"}}),
    "key": ("aws:kms/key:Key", {"deletionWindowInDays": -7}),
    "effect": ("aws:iam/rolePolicy:RolePolicy", {"role": "r", "policy": document("s3:GetObject", "Alow")}),
    "action": ("aws:iam/rolePolicy:RolePolicy", {"role": "r", "policy": document("kms:CreateKee")}),
    "text": ("aws:iam/rolePolicy:RolePolicy", {"role": "r", "policy": "{"}),
    "new-input": ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16", "quantum": True}),
    "excluded": ("aws:sqs/queue:Queue", {"contentBasedDeduplication": True}),
    "other": ("aws:route53/zone:Zone", {}),
}


_TEMPLATE = {"id": "lt-0123456789abcdef0"}
_SUBNETS = ["subnet-0123456789abcdef0"]
_FLEET = {
    "launchTemplateConfigs": [
        {"launchTemplateSpecification": {"launchTemplateId": "lt-0123456789abcdef0", "version": "1"}}
    ]
}
_MIXED = {"launchTemplate": {
    "launchTemplateSpecification": {"launchTemplateId": "lt-0123456789abcdef0"},
    "overrides": [{"instanceRequirements": {"memoryMib": {"min": 1}, "vcpuCount": {"min": 1}}}],
}}  # fmt: skip
_BATCH = {"maxVcpus": 192, "subnets": _SUBNETS, "instanceTypes": ["p5.48xlarge"], "tags": {"a": "b"}}
STARTERS: dict[str, tuple[str, dict[str, Any]]] = {
    "group": ("aws:autoscaling/group:Group", {"minSize": 1, "maxSize": 4, "vpcZoneIdentifiers": _SUBNETS,
        "launchTemplate": _TEMPLATE, "tags": [{"key": "a", "value": "b", "propagateAtLaunch": True}]}),
    "mixed": ("aws:autoscaling/group:Group", {"minSize": 0, "maxSize": 4, "vpcZoneIdentifiers": _SUBNETS,
        "mixedInstancesPolicy": _MIXED}),
    "group-sizes": ("aws:autoscaling/group:Group", {"vpcZoneIdentifiers": _SUBNETS, "launchTemplate": _TEMPLATE}),
    "group-number": ("aws:autoscaling/group:Group", {"minSize": "many", "maxSize": 4, "launchTemplate": _TEMPLATE,
        "vpcZoneIdentifiers": _SUBNETS}),
    "batch": ("aws:batch/computeEnvironment:ComputeEnvironment", {"type": "MANAGED", "tags": {"a": "b"},
        "computeResources": {"type": "EC2", **_BATCH}}),
    "batch-type": ("aws:batch/computeEnvironment:ComputeEnvironment", {"type": "MANAGED",
        "computeResources": {"type": "EC22", **_BATCH}}),
    "fleet": ("aws:ec2/fleet:Fleet", {**_FLEET, "type": "instant",
        "targetCapacitySpecification": {"defaultTargetCapacityType": "on-demand", "totalTargetCapacity": 4}}),
    "fleet-kind": ("aws:ec2/fleet:Fleet", {**_FLEET,
        "targetCapacitySpecification": {"defaultTargetCapacityType": "demand", "totalTargetCapacity": 4}}),
    "instance": ("aws:ec2/instance:Instance", {"launchTemplate": _TEMPLATE}),
}  # fmt: skip


def test_what_starts_machines_is_judged() -> None:
    stack = resources(**STARTERS)
    found = {
        one.resource.name: [(it.path, it.text) for it in one.refusals] for one in judge.JUDGE.judge([*stack], stack)
    }
    assert {name: refusals for name, refusals in found.items() if refusals} == {
        "group-sizes": [("", Says("MinSize", "required")), ("", Says("MaxSize", "required"))],
        "group-number": [("minSize", Says("many", "not"))],
        "batch-type": [("computeResources.type", Says("ec22", "not"))],
        "fleet-kind": [("targetCapacitySpecification.defaultTargetCapacityType", Says("demand", "not"))],
    }
    assert set(found) == set(STARTERS)


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    stack = resources(**DECLARED)
    return {verdict.resource.name: verdict for verdict in judge.JUDGE.judge([*stack], stack)}


def test_each_resource_has_one_verdict(verdicts: dict[str, Verdict]) -> None:
    assert {name: verdict.outcome.value for name, verdict in verdicts.items()} == {
        "good": "accepted", "later": "accepted", "policy-later": "accepted", "network": "refused",
        "machine": "refused", "key": "refused", "effect": "refused", "action": "accepted", "text": "refused",
        "new-input": "accepted", "excluded": "refused", "other": "not judged",
    }  # fmt: skip


def test_a_refusal_has_the_words_of_cfn_lint_and_the_input_of_the_program(verdicts: dict[str, Verdict]) -> None:
    assert {name: verdict.refusals for name, verdict in verdicts.items() if verdict.refusals} == {
        "network": (Remark("cidrBlock", "'Bogus-Value' is not a 'ipv4-network'"),),
        "machine": (Remark("metadataOptions.httpTokens", "'requiredd' is not one of ['optional', 'required']"),),
        "excluded": (
            Remark(
                "contentBasedDeduplication",
                "Additional properties are not allowed ('ContentBasedDeduplication' was unexpected)",
            ),
        ),
        "key": (Remark("deletionWindowInDays", "-7 is less than the minimum of 7"),),
        "effect": (Remark("policy", "'Alow' is not one of ['Allow', 'Deny']"),),
        "text": (
            Remark(
                "policy",
                "not a JSON document: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
        ),
    }


def test_an_action_that_no_service_has_is_advice_since_iam_takes_any(verdicts: dict[str, Verdict]) -> None:
    (remark,) = verdicts["action"].advice
    assert (remark.path, remark.text.partition(" [")[0]) == ("policy", "'createkee' is not one of")


def test_what_no_schema_names_is_left_and_a_type_without_a_row_is_not_judged(verdicts: dict[str, Verdict]) -> None:
    assert verdicts["new-input"].left == ("quantum",)
    assert verdicts["other"].why == "gpucluster/operate/judges/aws/types.csv has no row for its type"


def test_instance_types_are_those_of_the_region(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(judge, "_lint", lambda region, _: asked.append(region) or [])
    stack = resources(
        here=("aws:ec2/vpc:Vpc", {}), there=("aws:ec2/vpc:Vpc", {"region": "eu-west-3"}),
        nowhere=("aws:ec2/vpc:Vpc", {"region": "mars-1"}),
    )  # fmt: skip
    assert {verdict.outcome for verdict in judge.JUDGE.judge([*stack], stack)} == {Outcome.ACCEPTED}
    assert sorted(asked) == ["eu-west-3", "us-east-1"]


def test_resources_that_read_the_same_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    templates: list[dict[str, Any]] = []
    monkeypatch.setattr(judge, "_lint", lambda _, template: templates.append(template["Resources"]) or [])
    one = ("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"})
    stack = resources(a=one, b=one)
    assert len(list(judge.JUDGE.judge([*stack], stack))) == 2
    assert [len(template) for template in templates] == [1]


def test_what_a_schema_requires_the_sdk_requires_or_pulumi_implies() -> None:
    """Else a program that leaves it to its default would be refused."""
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    sdk = Schema(installed_sdks(site_packages(None))["aws"])
    lacking: set[tuple[str, str]] = set()
    for type_, name in TYPES.items():
        resource = sdk.resource_type(type_)
        assert resource is not None, type_
        needed = [prop for prop, about in resource.inputs.items() if about.required]
        places = [*NAMES.implied(type_), *(NAMES.place(type_, [prop]) for prop in needed)]
        given = {place.steps[0].removesuffix("[]") for place in places if place}
        required = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", name).schema.get("required", [])
        lacking |= {(type_, one) for one in required if one not in given}
    # Several inputs can say what a flow log is about; a scraper without a source is refused by the provider as well.
    assert lacking == {("aws:amp/scraper:Scraper", "Source"), ("aws:ec2/flowLog:FlowLog", "ResourceId")}
