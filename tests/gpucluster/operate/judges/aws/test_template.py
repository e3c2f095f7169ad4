"""Resources of pulumi-aws in CloudFormation's words."""

from __future__ import annotations

from typing import Any

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.operate.judges.aws.judge import TYPES, declared
from gpucluster.operate.judges.verdicts import Remark
from tests.cases import cases


@cases
def test_inputs_become_properties(type_: str, inputs: dict[str, Any], properties: dict[str, Any]) -> None:
    made = declared(type_, inputs)
    assert (made.schema, made.properties) == (TYPES[type_], properties)


def test_a_place_leads_back_to_the_input_and_to_what_is_around_it() -> None:
    made = declared(
        "aws:eks/cluster:Cluster", {"vpcConfig": {"subnetIds": ["a", "b"]}, "enabledClusterLogTypes": ["api"]}
    )
    paths: list[tuple[str | int, ...]] = [
        ("ResourcesVpcConfig", "SubnetIds", 1),
        ("ResourcesVpcConfig", "SubnetIds", 1, "more"),
        ("ResourcesVpcConfig",),
        ("Logging", "ClusterLogging", "EnabledTypes", 0, "Type"),
        (),
        ("Else",),
    ]
    assert [made.place_of(path) for path in paths] == [
        "vpcConfig.subnetIds[1]", "vpcConfig.subnetIds[1]", "vpcConfig", "enabledClusterLogTypes[0]", "", "",
    ]  # fmt: skip


def test_a_value_that_is_known_later_is_another_for_each_and_known_as_such() -> None:
    made = declared("aws:eks/nodeGroup:NodeGroup", {"subnetIds": [UNKNOWN, UNKNOWN], "labels": {"a": UNKNOWN}})
    assert made.properties["Subnets"][0] != made.properties["Subnets"][1]
    places: list[tuple[str | int, ...]] = [
        ("Subnets", 1),
        ("Subnets", 1, "Fn::ImportValue"),
        ("Labels", "a"),
        ("Subnets",),
    ]
    assert [made.is_later(path) for path in places] == [True, True, True, False]


def test_what_has_no_place_is_left_and_a_document_that_is_none_is_broken() -> None:
    made = declared("aws:ec2/internetGateway:InternetGateway", {"vpcId": "vpc-1", "region": "us-east-1"})
    assert (made.properties, made.left) == ({}, ["vpcId", "region"])
    broken = declared("aws:iam/policy:Policy", {"policy": "{"}).broken
    assert broken == [
        Remark(
            "policy", "not a JSON document: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
        )
    ]
