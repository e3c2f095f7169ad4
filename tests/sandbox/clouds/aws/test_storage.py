"""What FSx and EFS refuse beyond sizes: fabric, links to buckets, mount targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

LUSTRE = "fsx/lustreFileSystem:LustreFileSystem"
LINK = "fsx/dataRepositoryAssociation:DataRepositoryAssociation"
TARGET = "efs/mountTarget:MountTarget"


@pytest.fixture
def vpc(create: Create) -> str:
    return create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id


def subnet(create: Create, vpc: str, index: int, zone: str) -> str:
    block = f"10.0.{index}.0/24"
    return create("ec2/subnet:Subnet", f"s{index}", vpcId=vpc, cidrBlock=block, availabilityZone=zone).id


def fabric(subnet_id: str, group: str, **inputs: Any) -> dict[str, Any]:
    return {
        "subnetIds": subnet_id,
        "deploymentType": "PERSISTENT_2",
        "perUnitStorageThroughput": 1000,
        "storageCapacity": 4800,
        "efaEnabled": True,
        "metadataConfiguration": {"mode": "AUTOMATIC"},
        "securityGroupIds": [group],
        **inputs,
    }


@pytest.mark.parametrize("directions", [("Ingress", "Egress"), ("Ingress",), ("Egress",), ()], ids=str)
def test_a_file_system_on_the_fabric_needs_a_group_open_to_itself_both_ways(
    create: Create, vpc: str, directions: tuple[str, ...]
) -> None:
    zone = subnet(create, vpc, 0, "us-east-1a")
    group = create("ec2/securityGroup:SecurityGroup", "g", vpcId=vpc).id
    for direction in directions:
        create(
            f"vpc/securityGroup{direction}Rule:SecurityGroup{direction}Rule",
            direction,
            securityGroupId=group,
            referencedSecurityGroupId=group,
            ipProtocol="-1",
        )
    if len(directions) == 2:
        create(LUSTRE, **fabric(zone, group))
    else:
        with pytest.raises(CloudError, match="Insufficient security group permissions to create an EFA-enabled"):
            create(LUSTRE, **fabric(zone, group))


def test_rules_inside_the_group_count_as_well(create: Create, vpc: str) -> None:
    own = [{"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}]
    group = create("ec2/securityGroup:SecurityGroup", "g", vpcId=vpc, ingress=own, egress=own).id
    create(LUSTRE, **fabric(subnet(create, vpc, 0, "us-east-1a"), group))


@pytest.mark.parametrize(("iops", "sold"), [(1500, True), (12000, True), (36000, True), (9000, False), (204000, False)])
def test_own_metadata_iops_come_in_steps(create: Create, vpc: str, iops: int, sold: bool) -> None:
    inputs = {
        "subnetIds": subnet(create, vpc, 0, "us-east-1a"),
        "deploymentType": "PERSISTENT_2",
        "perUnitStorageThroughput": 125,
        "storageCapacity": 1200,
        "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": iops},
    }
    if sold:
        create(LUSTRE, **inputs)
    else:
        with pytest.raises(CloudError, match=f"Metadata Iops {iops} is not valid"):
            create(LUSTRE, **inputs)


def link(file_system: str, path: str, repository: str) -> dict[str, str]:
    return {"fileSystemId": file_system, "fileSystemPath": path, "dataRepositoryPath": repository}


@pytest.mark.parametrize(
    ("path", "repository", "message"),
    [
        ("/b", "s3://two", None),
        ("/a/b", "s3://two", "FileSystemPath /a/b overlaps with /a"),
        ("/b", "s3://one/part", "DataRepositoryPath s3://one/part overlaps with s3://one"),
        ("/b", "gs://two", "must begin with s3://"),
    ],
)
def test_links_of_a_file_system_share_nothing(
    create: Create, vpc: str, path: str, repository: str, message: str | None
) -> None:
    zone = subnet(create, vpc, 0, "us-east-1a")
    made = create(LUSTRE, subnetIds=zone, deploymentType="SCRATCH_2", storageCapacity=1200).id
    create(LINK, "first", **link(made, "/a", "s3://one"))
    if message is None:
        create(LINK, "second", **link(made, path, repository))
    else:
        with pytest.raises(CloudError, match=message):
            create(LINK, "second", **link(made, path, repository))


def test_a_link_needs_a_file_system_that_takes_one(create: Create, vpc: str) -> None:
    with pytest.raises(CloudError, match="FileSystemNotFound"):
        create(LINK, **link("fs-0", "/a", "s3://one"))
    made = create(LUSTRE, subnetIds=subnet(create, vpc, 0, "us-east-1a"), storageCapacity=3600).id
    with pytest.raises(CloudError, match="not supported for SCRATCH_1"):
        create(LINK, **link(made, "/a", "s3://one"))


def test_a_zone_takes_one_mount_target(create: Create, vpc: str) -> None:
    files = create("efs/fileSystem:FileSystem", "f").id
    first, same, other = (subnet(create, vpc, at, f"us-east-1{zone}") for at, zone in enumerate("aab"))
    create(TARGET, "first", fileSystemId=files, subnetId=first)
    create(TARGET, "other", fileSystemId=files, subnetId=other)
    with pytest.raises(CloudError, match="MountTargetConflict: mount target already exists in this AZ"):
        create(TARGET, "same", fileSystemId=files, subnetId=same)
    with pytest.raises(CloudError, match="FileSystemNotFound"):
        create(TARGET, "none", fileSystemId="fs-0", subnetId=other)


def test_the_throughput_of_a_file_system_on_the_fabric_stays(
    create: Create, account: AwsAccount, aws: Callable[..., Resource], vpc: str
) -> None:
    own = [{"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}]
    group = create("ec2/securityGroup:SecurityGroup", "g", vpcId=vpc, ingress=own, egress=own).id
    inputs = fabric(subnet(create, vpc, 0, "us-east-1a"), group, storageCapacity=9600)
    made = create(LUSTRE, **inputs)
    changed = aws(LUSTRE, **{**inputs, "perUnitStorageThroughput": 500})
    asked = replace(changed, id=made.id, old_inputs=made.inputs, outputs=made.outputs)
    with pytest.raises(CloudError, match="PerUnitStorageThroughput cannot be updated for EFA-enabled"):
        account.update(asked)
