"""Which changes replace."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import replaces
from gpucluster.sandbox.clouds.cloud import Change, Kind, Resource
from gpucluster.sandbox.clouds.types.schema import Schema

NODE_GROUP = "eks/nodeGroup:NodeGroup"
LUSTRE = "fsx/lustreFileSystem:LustreFileSystem"
RULE = "vpc/securityGroupIngressRule:SecurityGroupIngressRule"


@pytest.mark.parametrize(
    ("token", "path", "kind", "expected"),
    [
        ("ec2/vpc:Vpc", "cidrBlock", Kind.UPDATE, True),
        ("ec2/vpc:Vpc", "enableDnsSupport", Kind.UPDATE, False),
        ("ec2/vpc:Vpc", 'tags["a.b"]', Kind.ADD, False),
        ("ec2/vpc:Vpc", "region", Kind.UPDATE, True),
        (NODE_GROUP, "scalingConfig.desiredSize", Kind.UPDATE, False),
        (NODE_GROUP, "launchTemplate.version", Kind.UPDATE, False),
        (NODE_GROUP, "launchTemplate.id", Kind.UPDATE, True),
        (NODE_GROUP, "subnetIds[0]", Kind.UPDATE, True),
        ("ec2/launchTemplate:LaunchTemplate", "networkInterfaces[3].deviceIndex", Kind.UPDATE, False),
        ("eks/cluster:Cluster", "kubernetesNetworkConfig.ipFamily", Kind.UPDATE, True),
        ("eks/cluster:Cluster", "vpcConfig.subnetIds[1]", Kind.UPDATE, False),
        ("eks/cluster:Cluster", "encryptionConfig", Kind.DELETE, True),
        ("eks/cluster:Cluster", "encryptionConfig", Kind.ADD, False),
        (RULE, "cidrIpv4", Kind.UPDATE, False),
        (RULE, "referencedSecurityGroupId", Kind.ADD, True),
        (LUSTRE, "efaEnabled", Kind.UPDATE, True),
        (LUSTRE, "metadataConfiguration.iops", Kind.UPDATE, False),
        ("kinesis/stream:Stream", "kmsKeyId", Kind.UPDATE, None),
        ("sns/topic:Topic", "displayName", Kind.UPDATE, False),
        ("sns/topicSubscription:TopicSubscription", "endpoint", Kind.UPDATE, True),
    ],
)
def test_the_table_says_which_changes_replace(
    aws: Callable[..., Resource], token: str, path: str, kind: Kind, expected: bool | None
) -> None:
    assert replaces(aws(token), Change(path, kind)) is expected


@pytest.mark.parametrize(
    ("deployment", "old", "new", "expected"),
    [("PERSISTENT_2", 2400, 4800, False), ("PERSISTENT_2", 4800, 2400, True), ("SCRATCH_1", 3600, 7200, True)],
)
def test_lustre_storage_grows_in_place_and_never_shrinks(
    aws: Callable[..., Resource], deployment: str, old: int, new: int, expected: bool
) -> None:
    asked = replace(
        aws(LUSTRE, deploymentType=deployment, storageCapacity=new),
        old_inputs={"deploymentType": deployment, "storageCapacity": old},
    )
    assert replaces(asked, Change("storageCapacity", Kind.UPDATE)) is expected


@pytest.mark.parametrize(("old", "new", "expected"), [(6000, 12000, False), (12000, 6000, True)])
def test_own_metadata_iops_of_lustre_grow_in_place_and_never_shrink(
    aws: Callable[..., Resource], old: int, new: int, expected: bool
) -> None:
    asked = replace(
        aws(LUSTRE, metadataConfiguration={"mode": "USER_PROVISIONED", "iops": new}),
        old_inputs={"metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": old}},
    )
    assert replaces(asked, Change("metadataConfiguration.iops", Kind.UPDATE)) is expected


def rows() -> list[dict[str, Any]]:
    text = resources.files("gpucluster.sandbox.clouds.aws").joinpath("replacements.csv").read_text()
    return list(csv.DictReader(text.splitlines()))


def test_every_row_names_inputs_of_the_sdk_once_and_has_a_source(schemas: dict[str, Schema]) -> None:
    seen: set[tuple[str, str]] = set()
    for row in rows():
        found = schemas["aws"].resource_type(row["type"])
        assert found is not None, row
        assert row["replace"] in ("yes", "no") and row["source"], row
        for prop in row["properties"].split():
            assert prop.split(".")[0] in found.inputs, (row["type"], prop)
            assert (row["type"], prop) not in seen
            seen.add((row["type"], prop))


def test_the_types_of_a_training_cluster_are_in_the_table() -> None:
    wanted = """
        ec2/vpc:Vpc ec2/subnet:Subnet ec2/internetGateway:InternetGateway ec2/eip:Eip ec2/natGateway:NatGateway
        ec2/routeTable:RouteTable ec2/route:Route ec2/routeTableAssociation:RouteTableAssociation
        ec2/vpcEndpoint:VpcEndpoint ec2/securityGroup:SecurityGroup ec2/placementGroup:PlacementGroup
        ec2/launchTemplate:LaunchTemplate ec2/flowLog:FlowLog ec2/capacityReservation:CapacityReservation
        vpc/securityGroupIngressRule:SecurityGroupIngressRule vpc/securityGroupEgressRule:SecurityGroupEgressRule
        eks/cluster:Cluster eks/nodeGroup:NodeGroup eks/addon:Addon eks/accessEntry:AccessEntry
        eks/accessPolicyAssociation:AccessPolicyAssociation eks/podIdentityAssociation:PodIdentityAssociation
        iam/role:Role iam/rolePolicyAttachment:RolePolicyAttachment iam/rolePolicy:RolePolicy iam/policy:Policy
        fsx/lustreFileSystem:LustreFileSystem fsx/dataRepositoryAssociation:DataRepositoryAssociation
        efs/fileSystem:FileSystem efs/mountTarget:MountTarget
        kms/key:Key kms/alias:Alias sqs/queue:Queue s3/bucket:Bucket
        cloudwatch/logGroup:LogGroup cloudwatch/eventRule:EventRule cloudwatch/eventTarget:EventTarget
    """
    assert {f"aws:{token}" for token in wanted.split()} <= {row["type"] for row in rows()}
