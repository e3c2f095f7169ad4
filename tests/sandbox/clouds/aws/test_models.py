"""What the cloud makes of inputs."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.aws.model import MODELS
from gpucluster.sandbox.clouds.aws.names import arn, zone_ids
from gpucluster.sandbox.clouds.cloud import CreatedResource, Resource
from gpucluster.sandbox.clouds.outputs import after, before
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.values import UNKNOWN

Create = Callable[..., Entry]


def subnets(create: Create) -> list[str]:
    vpc = create("ec2/vpc:Vpc", "vpc", cidrBlock="10.0.0.0/16")
    return [
        create(
            "ec2/subnet:Subnet", zone, vpcId=vpc.id, cidrBlock=f"10.0.{at}.0/24", availabilityZone=f"us-east-1{zone}"
        ).id
        for at, zone in enumerate("ab")
    ]


def test_a_cluster_has_an_endpoint_that_leads_nowhere_and_a_certificate_that_looks_like_one(create: Create) -> None:
    cluster = create("eks/cluster:Cluster", roleArn="arn", vpcConfig={"subnetIds": subnets(create)}).outputs
    assert re.fullmatch(r"https://[0-9A-F]{32}\.gr7\.us-east-1\.eks\.sandbox\.invalid", cluster["endpoint"])
    unique = cluster["endpoint"].removeprefix("https://").split(".")[0]
    issuer = cluster["identities"][0]["oidcs"][0]["issuer"]
    assert issuer == f"https://oidc.eks.us-east-1.sandbox.invalid/id/{unique}"
    assert base64.b64decode(cluster["certificateAuthority"]["data"]).startswith(b"-----BEGIN CERTIFICATE-----")
    assert re.fullmatch(r"sg-[0-9a-f]{17}", cluster["vpcConfig"]["clusterSecurityGroupId"])
    assert cluster["vpcConfig"]["vpcId"].startswith("vpc-")
    assert cluster["vpcConfig"]["endpointPublicAccess"] is True


def update(entry: Entry, resource: Resource) -> Resource:
    return replace(resource, old_inputs=entry.inputs, outputs=entry.outputs, id=entry.id)


@pytest.mark.parametrize(
    ("change", "planned", "version"),
    [
        ({"instanceType": "p5.48xlarge"}, UNKNOWN, 2),
        ({"tags": {"a": "b"}}, UNKNOWN, 1),
        ({"description": "d"}, 1, 2),
        ({"updateDefaultVersion": True}, 1, 1),
    ],
    ids=str,
)
def test_a_launch_template_counts_its_versions(
    account: AwsAccount,
    aws: Callable[..., Resource],
    create: Create,
    change: dict[str, Any],
    planned: Any,
    version: int,
) -> None:
    first = create("ec2/launchTemplate:LaunchTemplate", name="lt")
    assert first.outputs["latestVersion"] == 1
    changed = update(first, aws("ec2/launchTemplate:LaunchTemplate", name="lt", **change))
    assert before(changed, account.known(changed))["latestVersion"] == planned
    made = after(changed, account.update(changed).outputs)
    assert (made["latestVersion"], made["arn"]) == (version, first.outputs["arn"])


def test_an_update_keeps_what_the_cloud_added_inside_an_input(
    account: AwsAccount, aws: Callable[..., Resource]
) -> None:
    was = {"clusterSecurityGroupId": "sg-1", "vpcId": "vpc-1", "subnetIds": ["subnet-1"]}
    wanted = {"subnetIds": ["subnet-1"], "publicAccessCidrs": ["0.0.0.0/0"]}
    changed = replace(
        aws("eks/cluster:Cluster", name="eks", vpcConfig=wanted),
        old_inputs={"name": "eks", "vpcConfig": {"subnetIds": ["subnet-1"]}},
        outputs={"name": "eks", "vpcConfig": was},
    )
    planned = before(changed, account.known(changed))["vpcConfig"]
    assert planned == {**was, **wanted}


@pytest.mark.parametrize("token", sorted(MODELS))
def test_every_output_is_there_in_a_preview_and_known_names_only_are_computed(
    schemas: dict[str, Schema], token: str
) -> None:
    type_ = schemas["aws"].resource_type(token)
    assert type_ is not None
    planned = before(Resource(urn=f"urn:::{token}::x", type=type_, inputs={}), {})
    assert set(planned) == set(type_.outputs)
    model = MODELS[token]
    assert {*model.defaults, *model.changing, *model.nested} <= set(type_.outputs)


def test_every_output_is_there_after_a_create_even_where_no_model_is(
    create: Create, schemas: dict[str, Schema]
) -> None:
    stream = create("kinesis/stream:Stream", name="t", tags={"a": "b"})
    type_ = schemas["aws"].resource_type("aws:kinesis/stream:Stream")
    assert type_ is not None
    assert set(stream.outputs) == set(type_.outputs)
    assert stream.outputs["arn"] == "arn:aws:kinesis:us-east-1:000000000000:Stream/t"
    assert (stream.outputs["tagsAll"], stream.outputs["region"]) == ({"a": "b"}, "us-east-1")
    assert [name for name, prop in type_.outputs.items() if prop.required and stream.outputs[name] is None] == []


def test_an_update_keeps_what_the_cloud_made(account: AwsAccount, aws: Callable[..., Resource], create: Create) -> None:
    role = create("iam/role:Role", name="r", assumeRolePolicy="{}")
    changed = update(role, aws("iam/role:Role", name="r", assumeRolePolicy="{}", description="new"))
    made: CreatedResource = account.update(changed)
    assert after(changed, made.outputs) == {**role.outputs, "description": "new"}


def test_iam_has_no_region(create: Create) -> None:
    assert create("iam/role:Role", name="r", assumeRolePolicy="{}").scope == "global"


def test_a_resource_may_live_in_another_region_than_its_provider(create: Create) -> None:
    vpc = create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16", region="eu-west-1")
    assert (vpc.scope, vpc.outputs["region"]) == ("eu-west-1", "eu-west-1")
    assert vpc.outputs["arn"] == f"arn:aws:ec2:eu-west-1:000000000000:vpc/{vpc.id}"


def test_zones_have_ids_and_arns_of_govcloud_and_china_their_partition() -> None:
    assert zone_ids("eu-west-2")["eu-west-2a"] == "euw2-az1"
    assert zone_ids("ap-southeast-2")["ap-southeast-2a"] == "apse2-az1"
    found = [arn("eks", region, "x").split(":")[1] for region in ("us-east-1", "us-gov-west-1", "cn-north-1")]
    assert found == ["aws", "aws-us-gov", "aws-cn"]
