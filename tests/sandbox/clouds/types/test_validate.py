"""Inputs against the types of the SDK."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.clouds.types.schema import Property, ResourceType, Schema
from gpucluster.sandbox.clouds.types.validate import Failure, validate
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret


def check(schemas: dict[str, Schema], token: str, inputs: dict[str, Any]) -> list[Failure]:
    found = schemas[token.split(":", 1)[0]].resource_type(token)
    assert found is not None
    return validate(inputs, found)


SUBNET = "aws:ec2/subnet:Subnet"
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.mark.parametrize(
    ("token", "inputs", "expected"),
    [
        (SUBNET, {"vpcId": "v"}, []),
        (SUBNET, {}, [Failure("vpcId", "missing required property 'vpcId'")]),
        (SUBNET, {"vpcId": None}, [Failure("vpcId", "missing required property 'vpcId'")]),
        (SUBNET, {"vpcId": UNKNOWN, "tags": UNKNOWN}, []),
        (SUBNET, {"vpcId": Secret(["v"])}, [Failure("vpcId", "expected a string, got a list")]),
        (SUBNET, {"vpcId": "v", "tags": {"a": "b", "n": 1}}, []),
        (SUBNET, {"vpcId": "v", "tags": {"a.b": []}}, [Failure('tags["a.b"]', "expected a string, got a list")]),
        (SUBNET, {"vpcId": "v", "tags": "x"}, [Failure("tags", "expected a map, got 'x'")]),
        (SUBNET, {"vpcId": "v", "enableDns64": "true"}, []),
        (SUBNET, {"vpcId": "v", "enableDns64": "yes"}, [Failure("enableDns64", "expected true or false, got 'yes'")]),
        (
            SUBNET,
            {"vpcId": "v", "cidrBlok": "x"},
            [Failure("cidrBlok", "unknown property 'cidrBlok'; did you mean 'cidrBlock'?")],
        ),
        (TEMPLATE, {"networkInterfaces": [{"deviceIndex": 0}, {"deviceIndex": "1"}]}, []),
        (
            TEMPLATE,
            {"networkInterfaces": [{"deviceIndex": 1.5}], "placement": {"groupNam": "g"}},
            [
                Failure("networkInterfaces[0].deviceIndex", "expected a whole number, got 1.5"),
                Failure("placement.groupNam", "unknown property 'groupNam'; did you mean 'groupName'?"),
            ],
        ),
        (TEMPLATE, {"networkInterfaces": {}}, [Failure("networkInterfaces", "expected a list, got an object")]),
        (TEMPLATE, {"placement": []}, [Failure("placement", "expected an object, got a list")]),
        (OBJECT, {"bucket": "b", "source": {"4dabf18193072939515e22adb298388d": "asset", "path": "a.sh"}}, []),
        (OBJECT, {"bucket": "b", "source": "a.sh"}, [Failure("source", "expected an asset or archive, got 'a.sh'")]),
        (TEMPLATE, {"__defaults": ["name"], "name": "n"}, []),
        ("kubernetes:core/v1:Namespace", {"apiVersion": "v1", "kind": "Namespace"}, []),
        ("kubernetes:core/v1:Namespace", {"kind": "Pod"}, [Failure("kind", "expected 'Namespace', got 'Pod'")]),
        (
            "kubernetes:core/v1:Service",
            {"spec": {"ports": [{"port": 80, "targetPort": "http"}, {"port": 81, "targetPort": 8080}]}},
            [],
        ),
    ],
)
def test_inputs_are_checked_against_the_sdk(
    schemas: dict[str, Schema], token: str, inputs: dict[str, Any], expected: list[Failure]
) -> None:
    assert check(schemas, token, inputs) == expected


RULE = "azure-native:network:SecurityRule"
RULE_INPUTS = {
    "resourceGroupName": "g",
    "networkSecurityGroupName": "n",
    "access": "Allow",
    "direction": "Inbound",
    "protocol": "*",
    "priority": 100,
}


def test_a_value_that_the_sdk_does_not_list_is_refused(schemas: dict[str, Schema]) -> None:
    assert check(schemas, RULE, RULE_INPUTS) == []
    assert check(schemas, RULE, RULE_INPUTS | {"access": UNKNOWN, "direction": "inbound"}) == []
    assert check(schemas, RULE, RULE_INPUTS | {"access": Secret("Bogus"), "direction": ""}) == [
        Failure("access", "expected one of Allow, Deny, got 'Bogus'"),
        Failure("direction", "expected one of Inbound, Outbound, got ''"),
    ]


def test_a_path_that_takes_more_than_is_listed_is_left_to_its_cloud(schemas: dict[str, Schema]) -> None:
    found = schemas["azure-native"].resource_type("azure-native:monitor:DataCollectionRule")
    assert found is not None
    inputs = {"resourceGroupName": "g", "dataFlows": [{"streams": ["Microsoft-PrometheusMetrics"]}]}
    assert [failure.path for failure in validate(inputs, found)] == ["dataFlows[0].streams[0]"]
    assert validate(inputs, found, {"dataFlows[].streams[]"}) == []


def test_an_exact_check_takes_no_other_spelling() -> None:
    types: dict[str, Any] = {"a": "str", "b": "bool", "c": "int", "d": "float", "e": {"enum": ["On", ""]}}
    made = ResourceType("p:m:T", {name: Property(type_, required=False) for name, type_ in types.items()}, {})
    other: dict[str, Any] = {"a": 1, "b": "true", "c": "1", "d": "0.5", "e": "on"}
    assert validate(other, made) == []
    assert {failure.path: failure.reason for failure in validate(other, made, exact=True)} == {
        "a": "expected a string, got 1",
        "b": "expected true or false, got 'true'",
        "c": "expected a whole number, got '1'",
        "d": "expected a number, got '0.5'",
        "e": "expected one of On, got 'on'",
    }
    assert validate({"a": "1", "b": True, "c": 1.0, "d": 1, "e": ""}, made, exact=True) == []


def test_an_enumeration_kept_by_hand_judges_nothing(schemas: dict[str, Schema]) -> None:
    inputs = {"ami": "ami-1", "instanceType": "p9.48xlarge"}
    assert check(schemas, "aws:ec2/instance:Instance", inputs) == []


def test_a_name_like_no_other_gets_the_list_of_what_is_known(schemas: dict[str, Schema]) -> None:
    (failure,) = check(schemas, "aws:ec2/internetGateway:InternetGateway", {"zzzzz": 1})
    assert failure.reason == "unknown property 'zzzzz'; known: region, tags, vpcId"
