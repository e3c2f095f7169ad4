"""Values against the tables of limits."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from importlib import resources
from itertools import chain
from typing import Any

import pytest

from gpucluster.sandbox.clouds.types.limits import Limit, Limits
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.validate import FORMATS, Failure
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret

CLOUDS = {"aws": "aws", "gcp": "gcp", "azure": "azure-native"}
"""Folder -> package."""
PACKAGE = "gpucluster.sandbox.clouds."
AWS, GCP = Limits(f"{PACKAGE}aws"), Limits(f"{PACKAGE}gcp")
RULES = {
    "enum",
    "enumAnyCase",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "combinations",
    "keys",
    "values",
}


@pytest.mark.parametrize(
    ("rule", "value", "taken", "refused"),
    [
        ("enum", ["a", "b", ""], ["a", "b", ""], {"c": "expected one of a, b, got 'c'"}),
        ("enum", [1, 3], [1, "3", 3.0], {2: "expected one of 1, 3, got '2'"}),
        ("enumAnyCase", ["vpc"], ["VPC", "vpc"], {"": "expected one of vpc, got ''"}),
        ("minimum", 7, [7, "8", "maybe"], {-7: "expected at least 7, got -7"}),
        ("maximum", 30, [30, 29.5], {10**8: "expected at most 30, got 100000000"}),
        ("minLength", 1, ["x"], {"": "expected at least 1 characters, got 0"}),
        ("maxLength", 3, ["xyz"], {"wxyz": "expected at most 3 characters, got 4"}),
        ("pattern", "^a+$", ["aa", 3], {"b": "'b' does not match ^a+$"}),
        ("format", "hour", ["23:59"], {"24:00": "'24:00' is not a time of day such as 03:00"}),
    ],
)
def test_a_rule_takes_what_it_allows_and_says_why_it_refuses_the_rest(
    rule: str, value: Any, taken: list[Any], refused: dict[Any, str]
) -> None:
    limit = Limit(rule, value, "A document")
    assert [limit.reason(given) for given in taken] == [""] * len(taken)
    assert {given: limit.reason(given) for given in refused} == {
        given: f"{reason} (A document)" for given, reason in refused.items()
    }


def test_a_list_has_as_many_items_as_a_document_lets_it() -> None:
    least, most = Limit("minItems", 1, "D"), Limit("maxItems", 2, "D")
    assert [least.reason([]), least.reason(["a"])] == ["expected at least 1 items, got 0 (D)", ""]
    assert [most.reason(["a", "b"]), most.reason(["a", "b", "c"])] == ["", "expected at most 2 items, got 3 (D)"]
    assert [least.reason(""), most.reason("abc")] == ["", ""]


@pytest.mark.parametrize(
    ("cloud", "token", "inputs", "refused"),
    [
        (
            "aws",
            "aws:efs/mountTarget:MountTarget",
            {"securityGroups": [f"sg-{at:017x}" for at in range(101)]},
            {"securityGroups": "expected at most 100 items, got 101 (cfn-lint 1.58.0, AWS::EFS::MountTarget, MIT-0)"},
        ),
        (
            "aws",
            "aws:eks/nodeGroup:NodeGroup",
            {"nodeGroupName": "n" * 64},
            {"nodeGroupName": "expected at most 63 characters, got 64 (Amazon EKS API, CreateNodegroup)"},
        ),
        (
            "azure",
            "azure-native:storagecache:AmlFilesystem",
            {"zones": ["1", "2"]},
            {"zones": "expected at most 1 items, got 2 (pulumi-azure-native 3.29.0, AmlFilesystem: zones)"},
        ),
        ("azure", "azure-native:storagecache:AmlFilesystem", {"zones": [UNKNOWN]}, {}),
        ("azure", "azure-native:storagecache:AmlFilesystem", {"zones": UNKNOWN}, {}),
    ],
)
def test_a_list_or_text_that_is_too_long_is_refused_by_its_path(
    cloud: str, token: str, inputs: dict[str, Any], refused: dict[str, str]
) -> None:
    found = Limits(f"{PACKAGE}{cloud}").failures(token, inputs)
    assert {failure.path: failure.reason for failure in found} == refused


_POLICY = "arn:aws-cn:iam::aws:policy"


@pytest.mark.parametrize(
    ("token", "path", "taken", "refused"),
    [
        ("aws:iam/role:Role", "name", "train-nodes", "r\u00f4le"),
        ("aws:iam/role:Role", "managedPolicyArns", [f"{_POLICY}/role/A"], [f"{_POLICY}/A/"]),
        ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "policyArn", f"{_POLICY}/A_B", f"{_POLICY}/A/"),
        ("aws:eks/accessEntry:AccessEntry", "type", "EC2_LINUX", " EC2_LINUX"),
        ("aws:eks/nodeGroup:NodeGroup", "taints", [{"key": "nvidia.com/gpu"}], [{"key": "nvidia.com/gpu/h100"}]),
        ("aws:ecr/lifecyclePolicy:LifecyclePolicy", "policy", '{"rules": []}', '{"rules": ['),
    ],
)  # fmt: skip
def test_what_the_api_of_aws_takes_or_refuses(token: str, path: str, taken: Any, refused: Any) -> None:
    assert AWS.failures(token, {path: taken}) == []
    assert len(AWS.failures(token, {path: refused})) == 1


def test_a_long_list_names_what_is_near_and_a_long_text_is_cut() -> None:
    limit = Limit("enum", [f"p{at}.48xlarge" for at in range(30)], "D")
    assert limit.reason("p5.48xlargee") == (
        "expected one of p5.48xlarge, p25.48xlarge, p15.48xlarge, .., got 'p5.48xlargee' (D)"
    )
    assert limit.reason("x" * 300) == f"'{'x' * 59}...' (300 characters) is not one of the 30 known values (D)"


@pytest.mark.parametrize(
    ("name", "taken", "refused"),
    [
        ("ipv4-network", ["10.0.0.0/16", "0.0.0.0/0"], ["", "Bogus-Value", "10.0.0.0", "10.0.0.1/16", "2001:db8::/56"]),
        ("ipv6-network", ["2001:db8::/56"], ["10.0.0.0/16", ""]),
        ("network", ["10.0.0.1/16", "2001:db8::/56"], ["10.0.0.1", "", "10.0.0.0/33"]),
        ("json", ["{}", '{"a": [1]}'], ["", "Bogus-Value", "3"]),
        ("instant", ["2026-01-31T08:00:00Z", "2026-01-31T08:00:00+01:00"], ["", "2026-01-31", "2026-13-31T08:00:00Z"]),
        ("address", ["10.0.0.1", "10.0.0.0/8", "2001:db8::1"], ["", "Bogus-Value"]),
        ("base64", ["Cg==", ""], ["Bogus-Value", "Cg="]),
        ("google-duration", ["86400s", "3.5s", ""], ["1d", "Bogus-Value"]),
        (
            "iam-policy",
            ['{"Statement": []}', '{"Version": "2012-10-17", "Statement": {"Effect": "Allow"}}'],
            ["{}", "[]", '{"sTATEMENT": []}', '{"Statement": {}}', '{"Version": "72012-10-17", "Statement": []}'],
        ),
        ("whole", ["18000", "-1", ""], ["1.5", "Bogus-Value"]),
        ("hour", ["00:00", "23:59"], ["", "3:00", "24:00", "10:60"]),
    ],
)
def test_a_format_takes_what_has_it(name: str, taken: list[str], refused: list[str]) -> None:
    fits = FORMATS[name][1]
    assert ([text for text in taken if not fits(text)], [text for text in refused if fits(text)]) == ([], [])


def test_nested_values_are_judged_where_they_stand_and_unknown_ones_later() -> None:
    inputs = {
        "instanceType": "p5.48xlargee",
        "metadataOptions": {"httpTokens": Secret("requiredd"), "httpEndpoint": UNKNOWN},
        "blockDeviceMappings": [{"ebs": {"volumeType": "gp3"}}, {"ebs": {"volumeType": "gp9"}}],
    }
    found = AWS.failures("aws:ec2/launchTemplate:LaunchTemplate", inputs)
    assert [failure.path for failure in found] == [
        "instanceType",
        "metadataOptions.httpTokens",
        "blockDeviceMappings[1].ebs.volumeType",
    ]
    assert found[1].reason == (
        "expected one of optional, required, got 'requiredd' (cfn-lint 1.58.0, AWS::EC2::LaunchTemplate, MIT-0)"
    )


def test_a_row_by_hand_takes_the_place_of_a_document_and_an_empty_one_lifts_it() -> None:
    workspace = {"workspaceId": "ws-838f0c0e-cab6-f9e6-4486-7871ad5a19ac"}
    assert AWS.failures("aws:amp/ruleGroupNamespace:RuleGroupNamespace", workspace) == []
    assert GCP.failures("gcp:container/cluster:Cluster", {"releaseChannel": {"channel": ""}}) == [
        Failure(
            "releaseChannel.channel",
            "expected one of UNSPECIFIED, RAPID, REGULAR, STABLE, EXTENDED, got '' "
            "(terraform-provider-google-beta@93c65b2d, container/resource_container_cluster.go)",
        )
    ]


RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CREATION = "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate"
VPC, SUBNET = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet"
SSH = {"securityGroupId": "sg-0123456789abcdef0", "ipProtocol": "tcp", "fromPort": 22}


@pytest.mark.parametrize(
    ("token", "inputs", "refused"),
    [
        (RULE, {**SSH, "toPort": 22, "cidrIpv4": "10.0.0.0/8"}, {}),
        (RULE, {**SSH, "cidrIpv4": "10.0.0.0/8"}, {"toPort": "missing required property 'toPort'"}),
        (RULE, {**SSH, "toPort": 22}, {"": "needs one of cidrIpv4, cidrIpv6, prefixListId, referencedSecurityGroupId"}),
        (RULE, {**SSH, "ipProtocol": "-1", "fromPort": None, "cidrIpv6": "::/0"}, {}),
        (RULE, {**SSH, "ipProtocol": "icmpv6", "fromPort": 128, "toPort": -1, "cidrIpv6": "::/0"}, {}),
        (VPC, {"enableDnsSupport": True}, {"": "needs one of cidrBlock, ipv4IpamPoolId"}),
        (VPC, {"ipv4IpamPoolId": UNKNOWN}, {}),
        (VPC, {"cidrBlock": "10.0.0.0/16", "ipv4IpamPoolId": "ipam-pool-0123456789abcdef0"}, {}),
        (
            SUBNET,
            {"cidrBlock": "10.0.0.0/24", "availabilityZone": "us-east-1a", "availabilityZoneId": "use1-az1"},
            {"availabilityZoneId": "'availabilityZoneId' is not allowed, with availabilityZone 'us-east-1a'"},
        ),
        (TEMPLATE, {"ebs": {"volumeType": "gp3", "iops": -7}}, {"ebs.iops": "expected at least 3000, got -7"}),
        (TEMPLATE, {"ebs": {"volumeType": "gp3", "iops": 10**8}}, {"ebs.iops": "expected at most 80000"}),
        (TEMPLATE, {"ebs": {"volumeType": "gp3", "iops": 80000}}, {}),
        (TEMPLATE, {"ebs": {"volumeType": "io2"}}, {"ebs.iops": "missing required property 'iops'"}),
        (TEMPLATE, {"ebs": {"volumeSize": 9}, "noDevice": "true"}, {"": "ebs and noDevice exclude each other"}),
        ("aws:ec2/flowLog:FlowLog", {"vpcId": UNKNOWN, "destinationOptions": {"perHourPartition": True}}, {}),
        ("aws:ec2/flowLog:FlowLog", {"vpcId": UNKNOWN, "subnetId": None}, {}),
        ("aws:ec2/flowLog:FlowLog", {"trafficType": "ALL"}, {"": "needs one of eniId, regionalNatGatewayId"}),
        (
            "aws:ecr/repository:Repository",
            {"tags": {"a": ""}},
            {"tags": "values: expected at least 1 characters, got 0"},
        ),
        (
            CREATION,
            {"resourceTags": {"k" * 129: "v"}},
            {"resourceTags": "keys: expected at most 128 characters, got 129"},
        ),
        (CREATION, {"resourceTags": {f"k{at}": "v" for at in range(51)}}, {"resourceTags": "at most 50 items, got 51"}),
        ("aws:eks/nodeGroup:NodeGroup", {"labels": {"": "v"}}, {"labels": "keys: '' does not match ^.+$"}),
        (TEMPLATE, {"ebs": {"encrypted": "some"}}, {"ebs.encrypted": "expected one of true, false"}),
        (TEMPLATE, {"ebs": {"encrypted": "True"}}, {}),
    ],
)
def test_inputs_that_exclude_or_need_each_other_are_refused(
    token: str, inputs: dict[str, Any], refused: dict[str, str]
) -> None:
    device = {"deviceName": "/dev/xvda", **inputs}
    found = AWS.failures(token, {"blockDeviceMappings": [device]} if token == TEMPLATE else inputs)
    paths = [failure.path.removeprefix("blockDeviceMappings[0]").removeprefix(".") for failure in found]
    assert paths == list(refused)
    assert [
        failure.reason for failure, said in zip(found, refused.values(), strict=True) if said not in failure.reason
    ] == []


def test_a_type_without_limits_refuses_nothing() -> None:
    assert AWS.failures("aws:ec2/nothing:Nothing", {"a": "Bogus-Value"}) == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_row_is_of_an_input_that_the_sdk_has_and_can_be_read(cloud: str, schemas: dict[str, Schema]) -> None:
    limits = Limits(f"{PACKAGE}{cloud}")
    lost: list[tuple[str, str]] = []
    for token in {*limits.tokens, *(row["type"] for row in _rows(cloud))} - {"lists"}:
        found = schemas[CLOUDS[cloud]].resource_type(token)
        assert found is not None, token
        for path, rules in limits.of(token).items():
            for kind in {_KINDS.get(limit.rule, "value") for limit in rules}:
                for each in _inputs_of(path, rules):
                    if not _has(found.inputs, found.types, each.split("."), kind):
                        lost.append((token, each))
            assert {limit.rule for limit in rules} <= RULES
            assert all(limit.source for limit in rules)
            for limit in rules:
                if limit.rule == "pattern":
                    re.compile(limit.value)
                if limit.rule == "format":
                    assert limit.value in FORMATS
    assert lost == []


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
def test_every_value_that_a_document_lists_is_taken(cloud: str) -> None:
    """A row by hand adds values, or says for which the document is wrong; it never takes one away."""
    limits = Limits(f"{PACKAGE}{cloud}")
    compiled = json.loads(resources.files(f"{PACKAGE}{cloud}").joinpath("limits.json").read_text(encoding="utf-8"))
    refused = [
        (token, path, value)
        for token, paths in compiled["types"].items()
        for path, rules in paths.items()
        for value in _listed(compiled, rules)
        if any(limit.reason(value) for limit in limits.of(token)[path])
    ]
    assert refused == []


def test_a_row_adds_a_value_that_an_enumeration_of_the_documents_lacks() -> None:
    lists = json.loads(resources.files(f"{PACKAGE}aws").joinpath("limits.json").read_text(encoding="utf-8"))["lists"]
    rows = [row for cloud in CLOUDS for row in _rows(cloud) if row["type"] == "lists"]
    assert [row["value"] for row in rows if row["value"] in lists[row["path"]]] == []
    assert AWS.failures(TEMPLATE, {"instanceType": "p6e-gb200.36xlarge"}) == []
    assert [one.path for one in AWS.failures(TEMPLATE, {"instanceType": "p6e-gb300.36xlarge"})] == ["instanceType"]


def _listed(compiled: Any, rules: Any) -> list[Any]:
    found = rules.get("enum", rules.get("enumAnyCase", []))
    return compiled["lists"][found["list"]] if isinstance(found, dict) else [it for it in found if it != ""]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_rows_by_hand_are_sorted_and_none_stands_twice(cloud: str) -> None:
    keys = [(row["type"], row["path"], row["rule"]) for row in _rows(cloud)]
    assert keys == sorted(set(keys))


def _rows(cloud: str) -> list[dict[str, str]]:
    text = resources.files(f"{PACKAGE}{cloud}").joinpath("limits.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _inputs_of(path: str, rules: Sequence[Limit]) -> list[str]:
    """The inputs that limits speak of: the path, or those of its combinations."""
    combinations = [it for limit in rules if limit.rule == "combinations" for it in limit.value]
    inner = [
        name
        for it in combinations
        for name in ([*it["if"], *it["then"]] if "if" in it else chain(*it.get("oneOf", it.get("anyOf"))))
    ]
    return [f"{path}.{name}" if path else name for name in inner] if combinations else [path]


_KINDS = {"minItems": "list", "maxItems": "list", "combinations": "any", "keys": "map", "values": "map"}
"""Rule -> what its path leads to, by default a value."""


def _has(properties: Any, types: Any, names: list[str], kind: str) -> bool:
    """Whether a path of inputs leads to a list, a value (neither a list nor an object), or any of them."""
    name = names[0].removesuffix("[]")
    if name not in properties:
        return False
    inner = properties[name].type
    if names[0].endswith("[]"):
        inner = inner["list"]
    if len(names) > 1:
        return "ref" in inner and _has(types[inner["ref"]], types, names[1:], kind)
    if kind in ("list", "map"):
        return "list" in inner or "map" in inner
    return kind == "any" or isinstance(inner, str) or "union" in inner or "enum" in inner
