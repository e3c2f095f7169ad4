"""What the APIs refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

TEMPLATE = "ec2/launchTemplate:LaunchTemplate"
KEY_ELSEWHERE = "arn:aws:kms:us-east-1:123456789012:key/1"
LUSTRE = "fsx/lustreFileSystem:LustreFileSystem"


def interface(card: int, device: int, type_: str) -> dict[str, Any]:
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": type_}


FABRIC = [
    interface(0, 0, "interface"),
    interface(0, 1, "efa-only"),
    *(interface(c, 0, "efa-only") for c in range(1, 32)),
]
OLD_FABRIC = [interface(0, 0, "efa"), *(interface(c, 1, "efa") for c in range(1, 32))]


@pytest.mark.parametrize("interfaces", [FABRIC, OLD_FABRIC, []], ids=["current", "old", "none"])
def test_the_layouts_that_launch_are_accepted(create: Create, interfaces: list[Any]) -> None:
    create(TEMPLATE, instanceType="p5.48xlarge", networkInterfaces=interfaces)


@pytest.mark.parametrize(
    ("interfaces", "message"),
    [
        ([*FABRIC, interface(5, 0, "efa-only")], "card index 5, device index 0 is used twice"),
        ([*FABRIC, interface(32, 0, "efa-only")], "card index 32, device index 0 does not exist"),
        ([interface(0, 0, "efa-only")], "the primary interface"),
        ([interface(1, 0, "interface")], "the primary interface"),
        ([*FABRIC, interface(4, 1, "efa-only")], "network card 4 has more than one Elastic Fabric Adapter"),
        ([*FABRIC, interface(0, 2, "interface")], "network card 0 of p5.48xlarge takes 2 interfaces"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_layout_that_does_not_fit_p5_is_refused(create: Create, interfaces: list[Any], message: str) -> None:
    with pytest.raises(CloudError, match=f"InvalidParameterCombination: .*{message}"):
        create(TEMPLATE, instanceType="p5.48xlarge", networkInterfaces=interfaces)


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


@pytest.mark.parametrize(
    ("token", "inputs", "message"),
    [
        (
            "iam/role:Role",
            {"name": "x"},
            "StatusCode: 409, api error EntityAlreadyExists: Role with name x already exists.",
        ),
        ("iam/policy:Policy", {"name": "x"}, "EntityAlreadyExists: A policy called x already exists"),
        ("ec2/placementGroup:PlacementGroup", {"name": "x"}, "InvalidPlacementGroup.Duplicate: .* 'x' already exists"),
        (TEMPLATE, {"name": "x"}, "InvalidLaunchTemplateName.AlreadyExistsException"),
        ("ec2/securityGroup:SecurityGroup", {"name": "x"}, "InvalidGroup.Duplicate"),
        ("kms/alias:Alias", {"name": "alias/x", "targetKeyId": KEY_ELSEWHERE}, "AlreadyExistsException"),
        ("cloudwatch/logGroup:LogGroup", {"name": "x"}, "ResourceAlreadyExistsException"),
        ("s3/bucket:Bucket", {"bucket": "x"}, "BucketAlreadyOwnedByYou"),
    ],
)
def test_a_name_that_is_taken_is_answered_with_the_error_of_the_api(
    create: Create, token: str, inputs: dict[str, Any], message: str
) -> None:
    create(token, "first", **inputs)
    with pytest.raises(CloudError, match=message):
        create(token, "second", **inputs)


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


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"clusterName": "other"}, "ResourceNotFoundException: No cluster found for name: other"),
        ({"scalingConfig": {**SIZES, "desiredSize": 5}}, "desired capacity 5 must be between minimum size 1 and"),
    ],
    ids=["cluster", "sizes"],
)
def test_a_node_group_that_cannot_be_is_refused(
    create: Create, cluster: dict[str, str], inputs: dict[str, Any], message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        pool(create, "ng", [cluster["a"]], **inputs)


def test_a_node_group_needs_existing_subnets_and_a_free_name(create: Create, cluster: dict[str, str]) -> None:
    with pytest.raises(CloudError, match="The subnet ID 'subnet-0' does not exist"):
        pool(create, "ng", ["subnet-0"])
    pool(create, "ng", [cluster["a"]])
    with pytest.raises(CloudError, match="NodeGroup already exists with name ng and cluster name c"):
        pool(create, "ng", [cluster["a"]])


def test_a_node_group_takes_no_label_that_keeps_a_kubelet_from_starting(
    create: Create, cluster: dict[str, str]
) -> None:
    fine = {"team": "ml", "nvidia.com/gpu.present": "true", "node.kubernetes.io/pool": "a", "kubernetes.io/os": "linux"}
    pool(create, "joins", [cluster["a"]], labels=fine)
    with pytest.raises(CloudError, match=r"failed to join .*: \[app\.kubernetes\.io/name x\.k8s\.io/q\]"):
        labels = {**fine, "app.kubernetes.io/name": "a", "x.k8s.io/q": "b"}
        pool(create, "never-joins", [cluster["a"]], labels=labels)


def test_a_cluster_needs_subnets_in_two_zones(create: Create, cluster: dict[str, str]) -> None:
    with pytest.raises(CloudError, match="at least two different AZs"):
        create("eks/cluster:Cluster", "d", name="d", roleArn="arn", vpcConfig={"subnetIds": [cluster["a"]]})


def test_the_instance_type_is_given_once(create: Create, cluster: dict[str, str]) -> None:
    template = create(TEMPLATE, name="lt", instanceType="p5.48xlarge")
    with pytest.raises(CloudError, match="Cannot specify instance types in launch template and API request"):
        pool(
            create, "ng", [cluster["a"]], launchTemplate={"id": template.id, "version": "1"}, instanceTypes=["m5.large"]
        )


def test_a_placement_group_that_is_not_there_takes_no_nodes(create: Create, cluster: dict[str, str]) -> None:
    template = create(TEMPLATE, name="lt", placement={"groupName": "gone"})
    with pytest.raises(CloudError, match=r"NodeCreationFailure: .*The placement group 'gone' is unknown"):
        pool(create, "one", [cluster["a"]], launchTemplate={"id": template.id, "version": "1"})
    own = {"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-elsewhere"}}}
    held = create(TEMPLATE, "held", name="held", placement={"groupName": "gone"}, **own)
    assert pool(create, "two", [cluster["a"]], launchTemplate={"id": held.id, "version": "1"})


def test_nodes_pin_the_zone_of_their_cluster_placement_group(create: Create, cluster: dict[str, str]) -> None:
    create("ec2/placementGroup:PlacementGroup", "pg", name="pg", strategy="cluster")
    template = create(TEMPLATE, name="lt", placement={"groupName": "pg"})
    using = {"launchTemplate": {"id": template.id, "version": "1"}}
    with pytest.raises(CloudError, match="more than one Availability Zone; the subnets are in us-east-1a, us-east-1b"):
        pool(create, "both", list(cluster.values()), **using)
    pool(create, "first", [cluster["a"]], **using)
    pool(create, "same-zone", [cluster["a"]], **using)
    pool(create, "elsewhere-without-the-group", [cluster["b"]])
    with pytest.raises(CloudError, match=r"cluster placement group 'pg'"):
        pool(create, "other-zone", [cluster["b"]], **using)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"storageCapacity": 3000}, "StorageCapacity 3000 GiB is not valid for PERSISTENT_2; valid: 1200, 2400 and"),
        ({"storageCapacity": 0}, "StorageCapacity 0 GiB"),
        ({"perUnitStorageThroughput": 300}, "PerUnitStorageThroughput 300 is not valid .* valid: 125, 250, 500, 1000"),
        ({"perUnitStorageThroughput": None}, "PerUnitStorageThroughput None is not valid"),
        ({"deploymentType": "SCRATCH_2"}, "cannot be specified for SCRATCH_2"),
        ({"efaEnabled": True}, "multiples of 38400 with EFA"),
        ({"efaEnabled": True, "storageCapacity": 38400}, "a metadata configuration"),
        (
            {"efaEnabled": True, "storageCapacity": 38400, "metadataConfiguration": {"mode": "AUTOMATIC"}},
            "Insufficient security group permissions",
        ),
        ({"subnetIds": "subnet-0"}, "The subnet subnet-0 does not exist"),
    ],
    ids=str,
)
def test_a_lustre_file_system_that_is_not_sold_is_refused(
    create: Create, cluster: dict[str, str], inputs: dict[str, Any], message: str
) -> None:
    valid = {"storageCapacity": 2400, "deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 125}
    with pytest.raises(CloudError, match=message):
        create(LUSTRE, **{"subnetIds": cluster["a"], **valid, **inputs})


@pytest.mark.parametrize(
    "inputs",
    [
        {"deploymentType": "SCRATCH_2", "storageCapacity": 1200},
        {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 1000, "storageCapacity": 26400},
    ],
    ids=str,
)
def test_a_lustre_file_system_that_is_sold_is_made(
    create: Create, cluster: dict[str, str], inputs: dict[str, Any]
) -> None:
    create(LUSTRE, subnetIds=cluster["a"], **inputs)


@pytest.mark.parametrize(
    ("block", "message"),
    [("10.9.0.0/24", "InvalidSubnet.Range"), ("10.0.0.128/25", "InvalidSubnet.Conflict")],
)
def test_a_subnet_lies_in_its_vpc_and_overlaps_no_other(create: Create, block: str, message: str) -> None:
    vpc = create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id
    create("ec2/subnet:Subnet", "free", vpcId=vpc, cidrBlock="10.0.0.0/24")
    with pytest.raises(CloudError, match=message):
        create("ec2/subnet:Subnet", "s", vpcId=vpc, cidrBlock=block)


def test_what_a_rule_cannot_read_is_refused(create: Create) -> None:
    vpc = create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id
    with pytest.raises(CloudError, match=r"an input of it has a form that no API takes: .*'Bogus-Value'"):
        create("ec2/subnet:Subnet", vpcId=vpc, cidrBlock="Bogus-Value")


def test_a_subnet_needs_its_vpc(create: Create) -> None:
    with pytest.raises(CloudError, match=r"InvalidVpcID\.NotFound: The vpc ID 'vpc-0' does not exist"):
        create("ec2/subnet:Subnet", vpcId="vpc-0", cidrBlock="10.0.0.0/24")


def test_a_managed_policy_is_small_enough(create: Create) -> None:
    create("iam/policy:Policy", "fits", policy="x" * 6144 + " " * 1000)
    with pytest.raises(CloudError, match="LimitExceeded: Cannot exceed quota for PolicySize: 6144"):
        create("iam/policy:Policy", "large", policy="x" * 6145)


def test_a_queue_policy_needs_its_queue(create: Create) -> None:
    with pytest.raises(CloudError, match="The specified queue does not exist"):
        create("sqs/queuePolicy:QueuePolicy", queueUrl="https://gone", policy="{}")
    queue = create("sqs/queue:Queue", "q")
    assert create("sqs/queuePolicy:QueuePolicy", queueUrl=queue.id, policy="{}").id == queue.id


def test_an_event_target_needs_its_rule(create: Create) -> None:
    with pytest.raises(CloudError, match="Rule r does not exist on EventBus default"):
        create("cloudwatch/eventTarget:EventTarget", rule="r", arn="arn:queue")
    rule = create("cloudwatch/eventRule:EventRule", "r", eventPattern="{}")
    create("cloudwatch/eventTarget:EventTarget", rule=rule.name, arn="arn:queue")


def test_the_id_of_an_event_target_is_short(create: Create) -> None:
    rule = create("cloudwatch/eventRule:EventRule", "r", eventPattern="{}")
    create("cloudwatch/eventTarget:EventTarget", "t" * 56, rule=rule.name, arn="arn:queue")
    with pytest.raises(CloudError, match="Member must have length less than or equal to 64"):
        create("cloudwatch/eventTarget:EventTarget", "t" * 57, rule=rule.name, arn="arn:queue")
