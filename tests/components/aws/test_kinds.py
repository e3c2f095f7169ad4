"""What each way to buy, place and store registers, typed by hand from the documentation of EC2, EKS and FSx."""

from __future__ import annotations

import base64
import functools
import json
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.plan import plan_cluster
from gpucluster.components.shapes import shapes
from gpucluster.components.spec.file import read_spec
from tests.components.aws.node_repair import REPAIR

SPECS = Path(__file__).parents[3] / "examples/specs/aws"
HERE = Location(region="us-east-1", zone="us-east-1a", cluster_zones=("us-east-1a", "us-east-1b"))
RESERVATION = "cr-0123456789abcdef0"
TARGET = {"capacityReservationTarget": {"capacityReservationId": RESERVATION}}
Registered = list[tuple[str, str, dict[str, Any]]]


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: Registered = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        known = {"name": args.name, "arn": f"arn:aws:mock:us-east-1:000000000000:{args.name}"}
        computed: dict[str, Any] = {}
        if args.typ == "aws:eks/cluster:Cluster":
            computed = {
                "endpoint": "https://cluster.example",
                "certificateAuthority": {"data": "Y2VydA=="},
                "vpcConfig": {**args.inputs["vpcConfig"], "clusterSecurityGroupId": "sg-cluster"},
            }
        if args.typ == "aws:ec2/launchTemplate:LaunchTemplate":
            computed = {"latestVersion": 1}
        if args.typ == "aws:eks/nodeGroup:NodeGroup":
            computed = {"resources": [{"autoscalingGroups": [{"name": f"eks-{args.name}"}]}]}
        if args.typ == "aws:ecr/repository:Repository":
            computed = {"repositoryUrl": f"000000000000.dkr.ecr.us-east-1.amazonaws.com/{args.inputs['name']}"}
        if args.typ == "aws:amp/workspace:Workspace":
            computed = {"prometheusEndpoint": "https://metrics.example/"}
        if args.typ == "aws:fsx/lustreFileSystem:LustreFileSystem":
            computed = {"dnsName": "fs.example", "mountName": "abcd1234"}
        return f"{args.name}-id", {**known, **args.inputs, **computed}

    def call(self, args: MockCallArgs) -> Any:
        raise AssertionError(f"a preview must ask no cloud: {args.token}")


@functools.cache
def registered(kind: str) -> Registered:
    """Every resource of a kind, in the order of its name; declared once."""
    from gpucluster.components.aws.cluster import TrainingCluster

    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder, project="gpucluster", stack="aws-trial", preview=False)
    example, _, machine = kind.partition("@")
    plan = plan_cluster(read_spec(SPECS / f"{example}.yaml"), HERE, stack="aws-trial", machine=machine or None)

    @pulumi.runtime.test
    def declare() -> None:
        TrainingCluster(plan.name, plan)

    declare()
    return sorted(recorder.seen, key=lambda item: item[1])


FABRIC_CARDS = {
    "p5.48xlarge": 32,
    "p5.4xlarge": 1,
    "p5e.48xlarge": 32,
    "p5en.48xlarge": 16,
    "p4d.24xlarge": 4,
    "p4de.24xlarge": 4,
}
BLOCK = {"instanceMarketOptions": {"marketType": "capacity-block"}, "capacityReservationSpecification": TARGET}
# Kind, with a machine behind @ where the stack's configuration names one -> name of the cluster, machine, whether it
# has a group of its own, what the template has besides, capacity type, least, wanted and most nodes.
EXPECTED: dict[str, tuple[str, str, bool, dict[str, Any], str, tuple[int, int, int]]] = {
    "on-demand-group": ("group", "p5.48xlarge", True, {}, "ON_DEMAND", (5, 5, 5)),
    "on-demand-group@p5.4xlarge": ("group", "p5.4xlarge", True, {}, "ON_DEMAND", (5, 5, 5)),
    "elastic-pools": ("pools", "p5.48xlarge", True, {}, "ON_DEMAND", (5, 5, 5)),
    "h200": ("h200", "p5en.48xlarge", True, {}, "ON_DEMAND", (5, 5, 5)),
    "h200@p5e.48xlarge": ("h200", "p5e.48xlarge", True, {}, "ON_DEMAND", (5, 5, 5)),
    "a100": ("a100", "p4de.24xlarge", True, {}, "ON_DEMAND", (5, 5, 5)),
    "a100-40gb": ("a100-40gb", "p4d.24xlarge", True, {}, "ON_DEMAND", (5, 5, 5)),
    "single-node": ("single", "p5.48xlarge", False, {}, "ON_DEMAND", (1, 1, 1)),
    "reservation": (
        "odcr",
        "p5.48xlarge",
        False,
        {"capacityReservationSpecification": TARGET},
        "ON_DEMAND",
        (5, 5, 5),
    ),
    "reservation-in-group": (
        "cpg-odcr",
        "p5.48xlarge",
        False,
        {"capacityReservationSpecification": TARGET, "placement": {"groupName": "research-h100"}},
        "ON_DEMAND",
        (5, 5, 5),
    ),
    "capacity-block": ("block", "p5.48xlarge", False, BLOCK, "CAPACITY_BLOCK", (0, 0, 5)),
    "capacity-block-active": ("block", "p5.48xlarge", False, BLOCK, "CAPACITY_BLOCK", (0, 8, 8)),
}
LABELS = {
    "team": "research",
    "project": "foundation-model",
    "cost-center": "cc-1234",
    "environment": "trial",
    "owner": "ml-platform",
    "pulumi-project": "gpucluster",
    "pulumi-stack": "aws-trial",
}


def expected_pool(kind: str) -> Registered:
    """The training pool of a kind by name, whole but for tags: EC2's rule for the interfaces of machines with several
    network cards, and what EKS takes in the template of a node group.
    """
    cluster, machine, grouped, more, capacity, (least, wanted, most) = EXPECTED[kind]
    name = f"{cluster}-training"
    fabric = f"{name}-efa-id"
    places = [
        (0, 0, "interface"),
        (0, 1, "efa-only"),
        *((card, 0, "efa-only") for card in range(1, FABRIC_CARDS[machine])),
    ]
    rule = {"securityGroupId": fabric, "ipProtocol": "-1"}
    inside = {**rule, "referencedSecurityGroupId": fabric, "description": "EFA within the pool"}
    policies = {
        "cni": "AmazonEKS_CNI_Policy",
        "registry": "AmazonEC2ContainerRegistryPullOnly",
        "ssm": "AmazonSSMManagedInstanceCore",
        "worker": "AmazonEKSWorkerNodePolicy",
    }
    trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": ["sts:AssumeRole"]}
    found: Registered = [
        (
            "gpucluster:aws:TrainingPool",
            name,
            {"zone": "us-east-1a", "capacityBlock": capacity == "CAPACITY_BLOCK"},
        ),
        (
            "aws:ec2/securityGroup:SecurityGroup",
            f"{name}-efa",
            {"description": "EFA between the nodes of one training pool", "vpcId": f"{cluster}-network-vpc-id"},
        ),
        ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", f"{name}-efa-in", inside),
        (
            "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
            f"{name}-efa-internet",
            {**rule, "cidrIpv4": "0.0.0.0/0", "description": "Images and APIs"},
        ),
        ("aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule", f"{name}-efa-out", inside),
        *([("aws:ec2/placementGroup:PlacementGroup", f"{name}-group", {"strategy": "cluster"})] if grouped else []),
        *(
            (
                "aws:autoscaling/tag:Tag",
                f"{name}-label-{key}",
                {
                    "autoscalingGroupName": f"eks-{name}-nodes",
                    "tag": {"key": key, "value": value, "propagateAtLaunch": True},
                },
            )
            for key, value in sorted(LABELS.items())
            if not key.startswith("pulumi-")
        ),
        (
            "aws:eks/nodeGroup:NodeGroup",
            f"{name}-nodes",
            {
                "amiType": "AL2023_x86_64_NVIDIA",
                "capacityType": capacity,
                "clusterName": f"{cluster}-aws-trial",
                "labels": {
                    **LABELS,
                    "gpucluster/pool": "training",
                    "nvidia.com/gpu.present": "true",
                    "vpc.amazonaws.com/efa.present": "true",
                },
                "launchTemplate": {"id": f"{name}-template-id", "version": "1"},
                "nodeRepairConfig": REPAIR,
                "nodeRoleArn": f"arn:aws:mock:us-east-1:000000000000:{name}-role",
                "scalingConfig": {"minSize": least, "desiredSize": wanted, "maxSize": most},
                # One subnet is one zone.
                "subnetIds": [f"{cluster}-network-gpu-id"],
                "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
                "updateConfig": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
            },
        ),
        (
            "aws:iam/role:Role",
            f"{name}-role",
            {"assumeRolePolicy": json.dumps({"Version": "2012-10-17", "Statement": [trust]})},
        ),
        *(
            (
                "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
                f"{name}-role-{suffix}",
                {"role": f"{name}-role", "policyArn": f"arn:aws:iam::aws:policy/{policy}"},
            )
            for suffix, policy in policies.items()
        ),
        (
            "aws:ec2/launchTemplate:LaunchTemplate",
            f"{name}-template",
            {
                "instanceType": machine,
                "updateDefaultVersion": True,
                "blockDeviceMappings": [
                    {
                        "deviceName": "/dev/xvda",
                        "ebs": {
                            "volumeSize": 500,
                            "volumeType": "gp3",
                            "encrypted": "true",
                            "deleteOnTermination": "true",
                        },
                    }
                ],
                "metadataOptions": {
                    "httpEndpoint": "enabled",
                    "httpTokens": "required",
                    "httpPutResponseHopLimit": 1,
                },
                "networkInterfaces": [
                    {
                        "networkCardIndex": card,
                        "deviceIndex": device,
                        "interfaceType": type_,
                        "deleteOnTermination": "true",
                        "securityGroups": ["sg-cluster", fabric],
                    }
                    for card, device, type_ in places
                ],
                **({"placement": {"groupName": f"{name}-group"}} if grouped else {}),
                **more,
            },
        ),
    ]
    return found


@pytest.mark.parametrize("kind", EXPECTED)
def test_each_kind_registers_exactly_this_training_pool_and_buys_nothing(kind: str) -> None:
    found = registered(kind)
    # Tags and user data have tests of their own.
    apart = {"tags", "tagSpecifications", "userData"}
    pool = [
        (type_, name, {key: value for key, value in inputs.items() if key not in apart})
        for type_, name, inputs in found
        if name.startswith(f"{EXPECTED[kind][0]}-training")
    ]
    assert pool == expected_pool(kind)
    assert [type_ for type_, _, _ in found if "apacityReservation" in type_ or "apacityBlock" in type_] == []


def test_every_example_and_every_machine_is_among_the_kinds() -> None:
    otherwise_alike = {"closed", "mig", "storage-bucket-home", "storage-fast", "teams"}
    told = {kind.partition("@")[0] for kind in EXPECTED}
    assert told == {path.stem for path in SPECS.glob("*.yaml")} - otherwise_alike
    machines = {row.machine_type for row in shapes() if row.cloud == "aws"}
    assert {machine for _, machine, *_ in EXPECTED.values()} == machines == set(FABRIC_CARDS)


def test_spot_is_for_elastic_pools_only() -> None:
    found = {name: inputs for _, name, inputs in registered("elastic-pools")}
    assert found["pools-training-nodes"]["capacityType"] == "ON_DEMAND"
    pools = {
        name.removeprefix("pools-elastic-"): inputs["spec"]
        for type_, name, inputs in registered("elastic-pools")
        if type_.endswith(":NodePool")
    }
    assert {
        name: (pool["limits"], "weight" in pool, pool["template"]["spec"]["requirements"])
        for name, pool in pools.items()
    } == {
        f"{name}-pool": (
            {"nvidia.com/gpu": gpus},
            False,
            [
                {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                {"key": "karpenter.sh/capacity-type", "operator": "In", "values": purchase},
                {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]},
            ],
        )
        for name, gpus, purchase in (
            ("dev", "8", ["on-demand"]),
            ("evaluation", "8", ["spot", "on-demand"]),
            ("fine-tuning", "16", ["spot", "on-demand"]),
        )
    }


def test_pools_share_karpenter_its_interruption_queue_and_the_class_of_their_machines() -> None:
    shared = {
        type_.rpartition(":")[2]: full
        for type_, full, inputs in registered("elastic-pools")
        if type_.endswith((":EC2NodeClass", "sqs/queue:Queue")) or inputs.get("name") == "karpenter"
    }
    assert shared == {
        "EC2NodeClass": "pools-elastic-class",
        "Queue": "pools-elastic-interruption-queue",
        "Release": "pools-elastic-karpenter",
    }


def test_the_resources_of_a_pool_differ_by_the_group_only() -> None:
    def names(kind: str) -> set[tuple[str, str]]:
        name = EXPECTED[kind][0]
        return {(type_, full.removeprefix(name)) for type_, full, _ in registered(kind)}

    group = {("aws:ec2/placementGroup:PlacementGroup", "-training-group")}
    reserved = names("reservation")
    assert names("on-demand-group") == reserved | group
    assert {kind: names(kind) ^ reserved for kind in ("reservation-in-group", "capacity-block", "single-node")} == {
        "reservation-in-group": set(),
        "capacity-block": set(),
        "single-node": set(),
    }


def test_every_gpu_node_installs_the_lustre_client() -> None:
    found = {name: inputs for _, name, inputs in registered("elastic-pools")}
    scripts = [
        base64.b64decode(found["pools-training-template"]["userData"]).decode(),
        found["pools-elastic-class"]["spec"]["userData"],
    ]
    assert ["do dnf install -y lustre-client && break" in script for script in scripts] == [True, True]


def test_lustre_is_open_on_its_ports_and_mounted_by_the_name_that_fsx_gives() -> None:
    """FSx for Lustre user guide: TCP 988 and 1018 to 1023 among servers and clients."""
    found = registered("on-demand-group")
    servers, clients, network = "group-storage-lustre-id", "sg-cluster", "10.0.0.0/16"
    opened = {
        (
            type_.rpartition("SecurityGroup")[2],
            inputs["securityGroupId"],
            inputs.get("referencedSecurityGroupId") or inputs["cidrIpv4"],
            inputs["ipProtocol"],
            inputs["fromPort"],
            inputs["toPort"],
        )
        for type_, name, inputs in found
        if name.startswith("group-storage-lustre-")
    }
    pairs = {
        ("IngressRule", servers, servers),
        ("EgressRule", servers, servers),
        ("IngressRule", servers, network),
        ("EgressRule", servers, network),
        ("IngressRule", clients, servers),
    }
    assert opened == {(*pair, "tcp", *ports) for pair in pairs for ports in ((988, 988), (1018, 1023))}
    [volume] = [inputs for _, name, inputs in found if name == "group-workspace-volume"]
    assert volume["spec"]["csi"] == {
        "driver": "fsx.csi.aws.com",
        "volumeHandle": "group-storage-shared-id",
        "volumeAttributes": {"dnsname": "fs.example", "mountname": "abcd1234"},
    }


def test_storage_over_the_fabric_is_open_to_itself_and_its_clients_both_ways_before_it_is_made() -> None:
    found = {name: (type_.rsplit(":", 1)[1], inputs) for type_, name, inputs in registered("storage-fast")}
    _, lustre = found["fast-storage-shared"]
    assert {key: value for key, value in lustre.items() if key not in ("tags", "storageCapacity")} == {
        "automaticBackupRetentionDays": 0,
        "dataCompressionType": "LZ4",
        "deploymentType": "PERSISTENT_2",
        "efaEnabled": True,
        "fileSystemTypeVersion": "2.15",
        "metadataConfiguration": {"mode": "AUTOMATIC"},
        "perUnitStorageThroughput": 1000,  # no price is known here
        "securityGroupIds": ["fast-storage-lustre-id"],
        "storageType": "SSD",
        "subnetIds": "fast-network-gpu-id",
    }
    rules = {
        (kind, inputs["securityGroupId"], inputs["referencedSecurityGroupId"], inputs["ipProtocol"])
        for name, (kind, inputs) in found.items()
        if "-fabric-" in name
    }
    servers, clients = "fast-storage-lustre-id", "fast-training-efa-id"
    assert rules == {
        (kind, group, peer, "-1")
        for kind in ("SecurityGroupIngressRule", "SecurityGroupEgressRule")
        for group, peer in ((servers, servers), (servers, clients), (clients, servers))
    }


def test_a_bucket_is_linked_one_way_and_homes_are_encrypted_with_a_mount_target_a_zone() -> None:
    found = [
        (type_, name, {key: value for key, value in inputs.items() if key != "tags"})
        for type_, name, inputs in registered("storage-bucket-home")
        if type_.startswith("aws:efs") or "dataRepository" in type_ or name.startswith("data-home-nfs")
    ]
    assert found == [
        ("aws:efs/fileSystem:FileSystem", "data-home-files", {"encrypted": True, "throughputMode": "bursting"}),
        (
            "aws:ec2/securityGroup:SecurityGroup",
            "data-home-nfs",
            {"description": "NFS of the home folders", "vpcId": "data-network-vpc-id"},
        ),
        (
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
            "data-home-nfs-in",
            {
                "description": "NFS from the nodes",
                "fromPort": 2049,
                "toPort": 2049,
                "ipProtocol": "tcp",
                "securityGroupId": "data-home-nfs-id",
                "referencedSecurityGroupId": "sg-cluster",
            },
        ),
        *(
            (
                "aws:efs/mountTarget:MountTarget",
                f"data-home-target-{letter}",
                {
                    "fileSystemId": "data-home-files-id",
                    "subnetId": f"data-network-{subnet}-id",
                    "securityGroups": ["data-home-nfs-id"],
                },
            )
            for letter, subnet in (("a", "gpu"), ("b", "cluster-b"))
        ),
        (
            "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation",
            "data-storage-bucket",
            {
                "batchImportMetaDataOnCreate": True,
                "dataRepositoryPath": "s3://research-data/tokens",
                "fileSystemId": "data-storage-shared-id",
                "fileSystemPath": "/bucket",
                "s3": {"autoImportPolicy": {"events": ["NEW", "CHANGED", "DELETED"]}},
            },
        ),
    ]
