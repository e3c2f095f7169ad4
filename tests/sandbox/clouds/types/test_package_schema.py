"""Schemas of packages, made from the SDKs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.types.package_schema import package_schema
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import Sdk

VPC, ROLE = "aws:ec2/vpc:Vpc", "aws:iam/role:Role"


@pytest.mark.parametrize(
    ("package", "named", "found"),
    [
        ("aws", {VPC}, {VPC}),
        ("aws", {"aws:ec2:Vpc", "aws:iam/role:Role", "aws:nothing:Nothing"}, {VPC, ROLE}),
        ("aws", set[str](), set[str]()),
        ("kubernetes", {"kubernetes:apps/v1:Deployment"}, {"kubernetes:apps/v1:Deployment"}),
    ],
)
def test_a_schema_has_the_types_that_are_named(
    schemas: dict[str, Schema], package: str, named: set[str], found: set[str]
) -> None:
    fresh = Schema(schemas[package].sdk)
    document = package_schema(fresh, named)
    assert (document["name"], document["version"]) == (package, fresh.sdk.version)
    assert {*document["resources"]} == found


@pytest.mark.parametrize("spelling", ["berry:index/basket:Basket", "berry:index:Basket", "berry:Basket"])
def test_the_index_module_need_not_be_named(tmp_path: Path, spelling: str) -> None:
    modules = '[{"fqn": "pulumi_berry", "classes": {"berry:index/basket:Basket": "Basket"}}]'
    (tmp_path / "__init__.py").write_text(f'resource_modules="""{modules}"""')
    (tmp_path / "basket.py").write_text("\nclass Basket(pulumi.CustomResource):\n    pass\n")
    document = package_schema(Schema(Sdk("berry", "0.0.1", tmp_path)), {spelling})
    assert list(document["resources"]) == ["berry:index/basket:Basket"]


def test_a_schema_has_the_types_that_were_used(schemas: dict[str, Schema]) -> None:
    fresh = Schema(schemas["aws"].sdk)
    fresh.resource_type(ROLE)
    fresh.resource_type("aws:nothing:Nothing")
    assert list(package_schema(fresh, set())["resources"]) == [ROLE]


def test_properties_have_the_types_of_the_sdk(schemas: dict[str, Schema]) -> None:
    document = package_schema(Schema(schemas["aws"].sdk), {"aws:eks:NodeGroup"})
    group = document["resources"]["aws:eks/nodeGroup:NodeGroup"]
    inputs: dict[str, Any] = group["inputProperties"]
    scaling = {"$ref": "#/types/aws:eks__inputs:NodeGroupScalingConfigArgs"}
    assert {name: inputs[name] for name in ("clusterName", "diskSize", "subnetIds", "labels", "scalingConfig")} == {
        "clusterName": {"type": "string"},
        "diskSize": {"type": "integer"},
        "subnetIds": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "scalingConfig": scaling,
    }
    assert {*group["requiredInputs"]} == {"nodeRoleArn", "clusterName", "scalingConfig", "subnetIds"}
    assert document["types"]["aws:eks__inputs:NodeGroupScalingConfigArgs"] == {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in ("desiredSize", "maxSize", "minSize")},
        "required": ["desiredSize", "maxSize", "minSize"],
    }
    assert "arn" in group["required"]
    assert document["provider"]["inputProperties"]["region"] == {"type": "string"}


@pytest.mark.parametrize(
    "spelling", ["aws:getAvailabilityZones", "aws:index/getAvailabilityZones:getAvailabilityZones"]
)
def test_data_sources_that_are_named_have_arguments_and_an_answer(schemas: dict[str, Schema], spelling: str) -> None:
    found = package_schema(Schema(schemas["aws"].sdk), {spelling, "aws:getNothing", "gcp:getNothing"})["functions"]
    assert list(found) == ["aws:index/getAvailabilityZones:getAvailabilityZones"]
    [zones] = found.values()
    assert zones["inputs"]["properties"]["state"] == {"$ref": "pulumi.json#/Any"}
    assert zones["outputs"]["properties"]["names"] == {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("package", "token", "form"),
    [
        ("aws", VPC, "(.*)(?:/[^/]*)"),
        ("azure-native", "azure-native:network:VirtualNetwork", "(.*)"),
        ("kubernetes", "kubernetes:core/v1:ConfigMap", "(.*)"),
    ],
)
def test_modules_are_those_of_a_program(schemas: dict[str, Schema], package: str, token: str, form: str) -> None:
    """`ec2` of a type in `ec2/vpc`, and `core/v1` of one in `core/v1`."""
    assert package_schema(Schema(schemas[package].sdk), {token})["meta"] == {"moduleFormat": form}


def test_constants_and_enumerations_are_text(schemas: dict[str, Schema]) -> None:
    document = package_schema(Schema(schemas["kubernetes"].sdk), {"kubernetes:core/v1:ConfigMap"})
    inputs = document["resources"]["kubernetes:core/v1:ConfigMap"]["inputProperties"]
    assert inputs["kind"] == {"type": "string", "const": "ConfigMap"}
