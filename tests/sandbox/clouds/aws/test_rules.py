"""What the APIs refuse about tags and the configuration of add-ons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import UNKNOWN

Create = Callable[..., Entry]


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({f"k{at}": "v" for at in range(51)}, "TagLimitExceeded: 51 tags"),
        ({"aws:name": "v"}, "reserved: 'aws:name'"),
        ({"k" * 129: "v"}, "is not 1 to 128 characters"),
        ({"k": "v" * 257}, "exceeds the maximum length of 256"),
    ],
    ids=["count", "reserved", "key", "value"],
)
def test_tags_beyond_the_limits_are_refused_in_a_preview_and_by_the_api(
    account: AwsAccount, aws: Callable[..., Resource], create: Create, tags: dict[str, str], message: str
) -> None:
    asked = aws("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16", tags=tags)
    [found] = account.failures(asked)
    assert (found.path, message.rpartition("Exceeded: ")[2] in found.reason) == ("tags", True)
    with pytest.raises(CloudError, match=message):
        create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16", tags=tags)


def test_tags_at_the_limits_are_accepted(create: Create) -> None:
    tags = {**{f"k{at}": "v" for at in range(48)}, "k" * 128: "v" * 256, "a +-=._:/@1": "ä"}
    create("s3/bucket:Bucket", tags=tags)


ODD = {"Name (prod)": "east, main; <a & b> #1"}


@pytest.mark.parametrize(
    ("token", "inputs", "accepted"),
    [
        ("ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"}, True),
        ("ec2/launchTemplate:LaunchTemplate", {}, True),
        ("ebs/volume:Volume", {"availabilityZone": "us-east-1a", "size": 1}, True),
        ("iam/role:Role", {"assumeRolePolicy": '{"Statement": []}'}, False),
        ("s3/bucket:Bucket", {}, False),
        ("efs/fileSystem:FileSystem", {}, False),
        ("cloudwatch/logGroup:LogGroup", {}, False),
    ],
)
def test_tags_of_ec2_have_every_character_and_those_of_other_services_only_some(
    account: AwsAccount, aws: Callable[..., Resource], token: str, inputs: dict[str, Any], accepted: bool
) -> None:
    found = account.failures(aws(token, "it", **inputs, tags={**ODD, "later": UNKNOWN}))
    refused = [failure.reason for failure in found if "characters that are not allowed" in failure.reason]
    assert len(refused) == (0 if accepted else 2)
    assert [failure.path for failure in found] == ["tags"] * len(refused)


@pytest.mark.parametrize(
    ("name", "build", "configuration", "refused"),
    [
        ("eks-node-monitoring-agent", "v1.6.4-eksbuild.1", "dcgmAgent: {tolerations: []}", []),
        ("eks-node-monitoring-agent", "v1.6.4-eksbuild.1", "dcgmAgent: {toleration: []}", ["dcgmAgent.toleration"]),
        (
            "vpc-cni",
            "v1.22.4-eksbuild.3",
            '{"env": {"ANY": "1"}, "enableNetworkPolicies": 1}',
            ["enableNetworkPolicies"],
        ),
        ("of-a-vendor", "v1", '{"any": 1}', []),
    ],
)
def test_an_addon_takes_no_configuration_that_its_chart_does_not_know(
    account: AwsAccount, aws: Callable[..., Resource], name: str, build: str, configuration: str, refused: list[str]
) -> None:
    inputs = {"addonName": name, "addonVersion": build, "configurationValues": configuration}
    found = account.failures(aws("eks/addon:Addon", "it", clusterName="c", **inputs))
    assert [failure.path for failure in found] == [f"configurationValues.{path}" for path in refused]


def test_default_tags_count_in_a_preview(ledger: Ledger, aws: Callable[..., Resource]) -> None:
    account = AwsAccount(ledger, "us-east-1", {f"k{at}": "v" for at in range(50)})
    [found] = account.failures(aws("s3/bucket:Bucket", "b", tags={"one": "more"}))
    assert found.reason == "51 tags; a resource may have 50"
    assert account.failures(aws("s3/bucket:Bucket", "b", tags={"k1": "own"})) == []
    assert account.failures(aws("s3/bucket:Bucket", "b", tags=UNKNOWN)) == []


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
    with pytest.raises(CloudError, match="reserved: 'aws:team'"):
        tag_of(create, group, "aws:team")
    assert tag_of(create, group, "team", "a#b").id == f"{group},team"
    for at in range(48):
        tag_of(create, group, f"k{at}")
    with pytest.raises(CloudError, match="LimitExceeded: 51 tags"):
        tag_of(create, group, "one-more")
