"""What the APIs do not have in a place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.aws.identity import arn, zone_of
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry, Ledger

Create = Callable[..., Entry]
LUSTRE = "fsx/lustreFileSystem:LustreFileSystem"


@pytest.fixture
def vpc(create: Create) -> str:
    return create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id


def subnet(create: Create, vpc: str, index: int, **zone: str) -> Entry:
    return create("ec2/subnet:Subnet", f"s{index}", vpcId=vpc, cidrBlock=f"10.0.{index}.0/24", **zone)


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ({"availabilityZone": "us-east-1b"}, ("us-east-1b", "use1-az2")),
        ({"availabilityZoneId": "use1-az6"}, ("us-east-1f", "use1-az6")),
        ({"availabilityZone": "us-east-1-atl-2a"}, ("us-east-1-atl-2a", "use1-atl2-az1")),
        ({"availabilityZoneId": "use1-atl2-az1"}, ("us-east-1-atl-2a", "use1-atl2-az1")),
    ],
)
def test_a_subnet_has_the_name_and_the_id_of_its_zone(
    create: Create, vpc: str, zone: dict[str, str], expected: tuple[str, str]
) -> None:
    made = subnet(create, vpc, 0, **zone)
    assert (made.outputs["availabilityZone"], made.outputs["availabilityZoneId"]) == expected
    assert zone_of("us-east-1", None, None) == ("us-east-1a", "use1-az1")


def test_arns_of_govcloud_and_china_have_their_partition() -> None:
    found = [arn("eks", region, "x").split(":")[1] for region in ("us-east-1", "us-gov-west-1", "cn-north-1")]
    assert found == ["aws", "aws-us-gov", "aws-cn"]


@pytest.mark.parametrize(
    ("zone", "message"),
    [
        ({"availabilityZoneId": "use1-az3"}, "UnsupportedAvailabilityZoneException: .* because us-east-1c"),
        ({"availabilityZone": "us-east-1c"}, "UnsupportedAvailabilityZoneException: .* because us-east-1c"),
        ({"availabilityZone": "us-east-1-atl-2a"}, "UnsupportedAvailabilityZoneException: .* because us-east-1-atl-2a"),
    ],
    ids=str,
)
def test_eks_takes_no_subnet_there(create: Create, vpc: str, zone: dict[str, str], message: str) -> None:
    ids = [subnet(create, vpc, 0, availabilityZone="us-east-1a").id, subnet(create, vpc, 1, **zone).id]
    with pytest.raises(CloudError, match=message):
        create("eks/cluster:Cluster", "c", roleArn="arn:aws:iam::0:role/r", vpcConfig={"subnetIds": ids})


def lustre(tier: int, **inputs: Any) -> dict[str, Any]:
    return {
        "deploymentType": "PERSISTENT_2",
        "perUnitStorageThroughput": tier,
        "storageCapacity": 2400,
        **inputs,
    }


def test_a_local_zone_has_lustre_without_its_fast_tiers_or_none(create: Create, vpc: str) -> None:
    atlanta = subnet(create, vpc, 0, availabilityZone="us-east-1-atl-2a").id
    boston = subnet(create, vpc, 1, availabilityZone="us-east-1-bos-1a").id
    create(LUSTRE, subnetIds=atlanta, **lustre(250))
    for id_, tier in ((atlanta, 500), (boston, 125)):
        with pytest.raises(CloudError, match="PERSISTENT_2 is not available in this availability zone"):
            create(LUSTRE, f"l{tier}", subnetIds=id_, **lustre(tier))


@pytest.mark.parametrize(
    ("region", "token", "inputs", "message"),
    [
        ("sa-east-1", LUSTRE, lustre(125), "PERSISTENT_2 is not available"),
        ("us-gov-west-1", LUSTRE, lustre(125), "PERSISTENT_2 is not available"),
        ("cn-north-1", "amp/workspace:Workspace", {}, "Workspace is not available in cn-north-1"),
        ("us-gov-west-1", "amp/scraper:Scraper", {}, "Scraper is not available in us-gov-west-1"),
    ],
)
def test_a_region_lacks_it(
    ledger: Ledger, create_in_aws: Create, region: str, token: str, inputs: dict[str, Any], message: str
) -> None:
    create = partial(create_in_aws, AwsAccount(ledger, region, {}))
    vpc = create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16").id
    place = {"subnetIds": subnet(create, vpc, 0).id} if token == LUSTRE else {}
    with pytest.raises(CloudError, match=message):
        create(token, **inputs, **place)


def test_a_zone_by_id_launches_only_machines_that_it_sells(create: Create, vpc: str) -> None:
    clustered = [subnet(create, vpc, at, availabilityZone=f"us-east-1{letter}").id for at, letter in enumerate("ab")]
    create("eks/cluster:Cluster", "c", name="c", roleArn="arn:aws:iam::0:role/r", vpcConfig={"subnetIds": clustered})
    template = create("ec2/launchTemplate:LaunchTemplate", "t", instanceType="p5en.48xlarge").id
    group = {
        "clusterName": "c",
        "nodeRoleArn": "arn:aws:iam::0:role/n",
        "launchTemplate": {"id": template, "version": "1"},
        "scalingConfig": {"minSize": 1, "desiredSize": 1, "maxSize": 1},
    }
    nodes = "eks/nodeGroup:NodeGroup"
    create(nodes, "right", subnetIds=[subnet(create, vpc, 3, availabilityZoneId="use1-az6").id], **group)
    with pytest.raises(CloudError, match=r"p5en\.48xlarge\) is not supported in your requested Availability Zone"):
        create(nodes, "wrong", subnetIds=[subnet(create, vpc, 4, availabilityZoneId="use1-az1").id], **group)
