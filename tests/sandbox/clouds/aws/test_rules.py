"""What the APIs refuse about tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({f"k{at}": "v" for at in range(51)}, "TagLimitExceeded: 51 tags"),
        ({"aws:name": "v"}, "reserved: 'aws:name'"),
        ({"k" * 129: "v"}, "is not 1 to 128 characters"),
        ({"k": "v" * 257}, "exceeds the maximum length of 256"),
        ({"k": "a#b"}, "not allowed in 'a#b'"),
    ],
    ids=["count", "reserved", "key", "value", "characters"],
)
def test_tags_beyond_the_limits_are_refused(create: Create, tags: dict[str, str], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16", tags=tags)


def test_tags_at_the_limits_are_accepted(create: Create) -> None:
    tags = {**{f"k{at}": "v" for at in range(48)}, "k" * 128: "v" * 256, "a +-=._:/@1": "ä"}
    create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16", tags=tags)


@pytest.fixture
def cluster(create: Create) -> dict[str, str]:
    """A cluster with one subnet in each of two zones: zone letter -> subnet id."""
    vpc = create("ec2/vpc:Vpc", "vpc", cidrBlock="10.0.0.0/16")
    ids = {
        zone: create(
            "ec2/subnet:Subnet", zone, vpcId=vpc.id, cidrBlock=f"10.0.{at}.0/24", availabilityZone=f"us-east-1{zone}"
        ).id
        for at, zone in enumerate("ab")
    }
    create("eks/cluster:Cluster", "c", name="c", roleArn="arn", vpcConfig={"subnetIds": list(ids.values())})
    return ids


SIZES = {"minSize": 1, "desiredSize": 1, "maxSize": 2}


def pool(create: Create, name: str, subnets: list[str], **inputs: Any) -> Entry:
    given = {"clusterName": "c", "nodeRoleArn": "arn", "scalingConfig": SIZES, "nodeGroupName": name, **inputs}
    return create("eks/nodeGroup:NodeGroup", name, subnetIds=subnets, **given)


def tag_of(create: Create, group: str, key: str, value: str = "v") -> Entry:
    tag = {"key": key, "value": value, "propagateAtLaunch": True}
    return create("autoscaling/tag:Tag", f"{group}-{key}", autoscalingGroupName=group, tag=tag)


def test_a_tag_of_a_group_is_of_a_group_that_is_there_and_within_the_limits_of_tags(
    create: Create, cluster: dict[str, str]
) -> None:
    nodes = pool(create, "n", [cluster["a"], cluster["b"]])
    group = nodes.outputs["resources"][0]["autoscalingGroups"][0]["name"]
    assert tag_of(create, group, "owner").id == f"{group},owner"
    with pytest.raises(CloudError, match="ValidationError: AutoScalingGroup name not found - another"):
        tag_of(create, "another", "owner")
    with pytest.raises(CloudError, match="not allowed in 'a#b'"):
        tag_of(create, group, "team", "a#b")
    for at in range(49):
        tag_of(create, group, f"k{at}")
    with pytest.raises(CloudError, match="LimitExceeded: 51 tags"):
        tag_of(create, group, "one-more")
