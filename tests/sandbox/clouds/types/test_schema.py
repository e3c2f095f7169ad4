"""Types read from the installed SDKs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.cache import CACHE_VARIABLE
from gpucluster.sandbox.clouds.types.schema import Property, Schema, package_schema
from gpucluster.sandbox.clouds.types.sdk_types import Sdk


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder with nothing in it."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    return tmp_path


def test_a_type_has_the_inputs_and_outputs_of_its_sdk_class(schemas: dict[str, Schema]) -> None:
    subnet = schemas["aws"].resource_type("aws:ec2/subnet:Subnet")
    assert subnet is not None
    assert subnet.inputs["vpcId"] == Property("str", required=True)
    assert subnet.inputs["tags"] == Property({"map": "str"}, required=False)
    assert {"arn", "ownerId", "tagsAll"} == set(subnet.outputs) - set(subnet.inputs) - {"ipv6CidrBlockAssociationId"}


@pytest.mark.usefixtures("cache")
def test_inputs_are_read_whatever_their_class_is_called(schemas: dict[str, Schema]) -> None:
    attachment = Schema(schemas["aws"].sdk).resource_type(
        "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment"
    )
    assert attachment is not None  # NetworkInterfaceAttachmentInitArgs
    assert {name for name, one in attachment.inputs.items() if one.required} == {
        "deviceIndex",
        "instanceId",
        "networkInterfaceId",
    }


def test_nested_types_are_followed(schemas: dict[str, Schema]) -> None:
    template = schemas["aws"].resource_type("aws:ec2/launchTemplate:LaunchTemplate")
    assert template is not None
    ((kind, inner),) = template.inputs["networkInterfaces"].type.items()
    assert kind == "list"
    assert template.types[inner["ref"]]["networkCardIndex"] == Property("int", required=False)


def test_types_of_other_modules_are_followed(schemas: dict[str, Schema]) -> None:
    namespace = schemas["kubernetes"].resource_type("kubernetes:core/v1:Namespace")
    assert namespace is not None
    assert namespace.inputs["metadata"].type == {"ref": "meta/v1/_inputs:ObjectMetaArgs"}
    assert namespace.types["meta/v1/_inputs:ObjectMetaArgs"]["labels"].type == {"map": "str"}


def test_a_type_that_refers_to_itself_is_read_once(schemas: dict[str, Schema]) -> None:
    definition = schemas["kubernetes"].resource_type("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition")
    assert definition is not None
    assert "apiextensions/v1/_inputs:JSONSchemaPropsArgs" in definition.types


def test_a_type_the_sdk_does_not_have_is_none(schemas: dict[str, Schema]) -> None:
    assert schemas["aws"].resource_type("aws:ec2/nothing:Nothing") is None


def test_the_settings_of_a_provider_are_a_type_too(schemas: dict[str, Schema]) -> None:
    settings = schemas["aws"].resource_type("pulumi:providers:aws")
    assert settings is not None
    assert "defaultTags" in settings.inputs


@pytest.mark.usefixtures("cache")
def test_a_type_has_the_version_of_its_api_where_its_class_names_one(schemas: dict[str, Schema]) -> None:
    tokens = {"azure-native": "azure-native:network:VirtualNetwork", "aws": "aws:ec2/vpc:Vpc"}
    found = {package: Schema(schemas[package].sdk).resource_type(token) for package, token in tokens.items()}
    versions = {package: type_.api_version for package, type_ in found.items() if type_ is not None}
    assert versions == {"azure-native": "2024-05-01", "aws": ""}


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("package", ["aws", "gcp", "kubernetes"])
def test_every_type_of_the_sdk_can_be_read(schemas: dict[str, Schema], package: str) -> None:
    """A sample, spread over the whole SDK: each has outputs, and its references lead somewhere."""
    fresh = Schema(schemas[package].sdk)
    tokens = sorted(fresh.sdk.modules)[::40]
    for token in tokens:
        found = fresh.resource_type(token)
        assert found is not None, token
        assert found.outputs, token
        for properties in (found.inputs, found.outputs, *found.types.values()):
            for prop in properties.values():
                assert _references(prop.type) <= set(found.types), token


def _references(type_: object) -> set[str]:
    if isinstance(type_, dict):
        return {type_["ref"]} if "ref" in type_ else set[str]().union(*map(_references, type_.values()))
    return set[str]().union(*map(_references, type_)) if isinstance(type_, list) else set()


def test_a_type_is_kept_in_the_cache_and_read_from_it(schemas: dict[str, Schema], cache: Path) -> None:
    sdk = schemas["aws"].sdk
    first = Schema(sdk).resource_type("aws:ec2/vpc:Vpc")
    (file,) = (cache / "sdk-types" / f"aws-{sdk.version}").iterdir()
    kept = json.loads(file.read_text())
    kept["inputs"]["onlyInTheCache"] = {"type": "str", "required": False}
    file.write_text(json.dumps(kept))
    again = Schema(sdk).resource_type("aws:ec2/vpc:Vpc")
    assert first is not None and again is not None
    assert set(again.inputs) - set(first.inputs) == {"onlyInTheCache"}


def test_a_broken_cache_file_is_written_again(schemas: dict[str, Schema], cache: Path) -> None:
    sdk = schemas["aws"].sdk
    Schema(sdk).resource_type("aws:ec2/vpc:Vpc")
    (file,) = (cache / "sdk-types" / f"aws-{sdk.version}").iterdir()
    file.write_text("{")
    assert Schema(sdk).resource_type("aws:ec2/vpc:Vpc") is not None
    assert json.loads(file.read_text())["inputs"]


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("package", ["awsx", "eks"])
def test_every_component_of_another_language_can_be_read(schemas: dict[str, Schema], package: str) -> None:
    """Their classes refer to those of `pulumi_aws` and `pulumi_kubernetes`."""
    fresh = Schema(schemas[package].sdk)
    for token in fresh.sdk.modules:
        found = fresh.resource_type(token)
        assert found is not None, token
        for properties in (found.inputs, found.outputs, *found.types.values()):
            for prop in properties.values():
                assert _references(prop.type) <= set(found.types), token


@pytest.mark.usefixtures("cache")
def test_a_class_of_another_package_may_be_anything(schemas: dict[str, Schema]) -> None:
    found = Schema(schemas["eks"].sdk).resource_type("eks:index:ManagedNodeGroup")
    assert found is not None
    assert found.inputs["instanceTypes"].type == {"list": "str"}
    assert found.inputs["taints"].type == {"list": "any"}
    assert found.inputs["nodeRole"].type == "any"


_EXCERPT = """
@pulumi.input_type
class ClusterArgs:
    def __init__(__self__, *,
                 cluster_security_group: Optional[pulumi.Input['pulumi_aws.ec2.SecurityGroup']] = None,
                 creation_role_provider: Optional['CreationRoleProviderArgs'] = None,
                 instance_type: Optional[pulumi.Input[str]] = None,
                 node_security_group_tags: Optional[pulumi.Input[Mapping[str, pulumi.Input[str]]]] = None):
        pass

class Cluster(pulumi.ComponentResource):
    @property
    @pulumi.getter(name="awsProvider")
    def aws_provider(self) -> pulumi.Output['pulumi_aws.Provider']:
        return pulumi.get(self, "aws_provider")
"""
"""Lines of `cluster.py` in pulumi-eks 3.9.1; its other files are missing here."""


@pytest.mark.usefixtures("cache")
def test_a_component_of_the_major_version_before_can_be_read(tmp_path: Path) -> None:
    modules = '[{"fqn": "pulumi_eks", "classes": {"eks:index:Cluster": "Cluster"}}]'
    (tmp_path / "sdk").mkdir()
    (tmp_path / "sdk" / "__init__.py").write_text(f'resource_modules="""{modules}"""')
    (tmp_path / "sdk" / "cluster.py").write_text(_EXCERPT)
    found = Schema(Sdk("eks", "3.9.1", tmp_path / "sdk")).resource_type("eks:index:Cluster")
    assert found is not None
    assert {name: prop.type for name, prop in found.inputs.items()} == {
        "cluster_security_group": "any",
        "creation_role_provider": "any",
        "instance_type": "str",
        "node_security_group_tags": {"map": "str"},
    }
    assert found.outputs == {"awsProvider": Property("any", required=True)}


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
