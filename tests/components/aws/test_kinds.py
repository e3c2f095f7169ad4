"""What each way to buy, place and store registers, typed by hand from the documentation of EC2, EKS and FSx."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from components.aws.location import Location
from components.aws.plan import plan_cluster
from components.spec_file import read_spec

SPECS = Path(__file__).parents[3] / "examples/specs"
HERE = Location(region="us-east-1", zone="us-east-1a", second_zone="us-east-1b")
RESERVATION = "cr-0123456789abcdef0"
TARGET = {"capacityReservationTarget": {"capacityReservationId": RESERVATION}}
Registered = list[tuple[str, str, dict[str, Any]]]


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: Registered = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        computed: dict[str, Any] = {"name": args.name, "arn": f"arn:aws:mock:us-east-1:000000000000:{args.name}"}
        if args.typ == "aws:eks/cluster:Cluster":
            computed |= {
                "endpoint": "https://cluster.example",
                "certificateAuthority": {"data": "Y2VydA=="},
                "vpcConfig": {**args.inputs["vpcConfig"], "clusterSecurityGroupId": "sg-cluster"},
            }
        if args.typ == "aws:ec2/launchTemplate:LaunchTemplate":
            computed |= {"latestVersion": 1}
        return f"{args.name}-id", {**args.inputs, **computed}

    def call(self, args: MockCallArgs) -> dict[Any, Any]:
        raise AssertionError(f"a preview must ask no cloud: {args.token}")


def registered(kind: str, *, machine: str | None = None) -> Registered:
    """Every resource of an example spec, in the order of its name."""
    from components.aws.cluster import TrainingCluster

    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder, project="gpucluster", stack="aws-trial", preview=False)
    plan = plan_cluster(read_spec(SPECS / f"{kind}.yaml"), HERE, stack="aws-trial", machine=machine)

    @pulumi.runtime.test
    def declare() -> None:
        TrainingCluster(plan.name, plan)

    declare()
    return sorted(recorder.seen, key=lambda item: item[1])


def pool(found: Registered, name: str) -> dict[str, Any]:
    """What decides where a training pool's nodes come from: group, template and node group."""
    inputs = {full.removeprefix(f"{name}-training-"): value for _, full, value in found}
    template, nodes = inputs["template"], inputs["nodes"]
    return {
        "group": inputs.get("group", {}).get("strategy"),
        "machine": template["instanceType"],
        "market": template.get("instanceMarketOptions"),
        "reservation": template.get("capacityReservationSpecification"),
        "placement": template.get("placement"),
        "capacity": nodes["capacityType"],
        "sizes": tuple(nodes["scalingConfig"][key] for key in ("minSize", "desiredSize", "maxSize")),
        "subnets": nodes["subnetIds"],
        "update": nodes["updateConfig"],
    }


EXPECTED: dict[str, tuple[str, dict[str, Any]]] = {
    "on-demand-group": ("group", {"group": "cluster", "placement": {"groupName": "group-training-group"}}),
    "reservation": ("odcr", {"reservation": TARGET}),
    "reservation-in-group": ("cpg-odcr", {"reservation": TARGET, "placement": {"groupName": "research-h100"}}),
    "capacity-block": (
        "block",
        {
            "reservation": TARGET,
            "market": {"marketType": "capacity-block"},
            "capacity": "CAPACITY_BLOCK",
            "sizes": (0, 0, 5),
        },
    ),
    "capacity-block-active": (
        "block",
        {
            "reservation": TARGET,
            "market": {"marketType": "capacity-block"},
            "capacity": "CAPACITY_BLOCK",
            "sizes": (0, 8, 8),
        },
    ),
    "single-node": ("single", {"sizes": (1, 1, 1)}),
    "h200": (
        "h200",
        {"machine": "p5en.48xlarge", "group": "cluster", "placement": {"groupName": "h200-training-group"}},
    ),
    "a100": (
        "a100",
        {"machine": "p4de.24xlarge", "group": "cluster", "placement": {"groupName": "a100-training-group"}},
    ),
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_each_kind_takes_its_nodes_from_where_it_says_and_buys_nothing(kind: str) -> None:
    name, differs = EXPECTED[kind]
    found = registered(kind)
    assert pool(found, name) == {
        "group": None,
        "machine": "p5.48xlarge",
        "market": None,
        "reservation": None,
        "placement": None,
        "capacity": "ON_DEMAND",
        "sizes": (5, 5, 5),
        # One subnet is one zone.
        "subnets": [f"{name}-network-gpu-id"],
        "update": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
        **differs,
    }
    assert [type_ for type_, _, _ in found if "apacityReservation" in type_ or "apacityBlock" in type_] == []


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


@pytest.mark.parametrize(
    ("kind", "name", "machine", "fabric"),
    [
        ("on-demand-group", "group", None, 32),
        ("on-demand-group", "group", "p5.4xlarge", 1),
        ("h200", "h200", None, 16),
        ("h200", "h200", "p5e.48xlarge", 32),
        ("a100", "a100", None, 4),
    ],
)
def test_each_machine_has_one_ip_interface_and_the_fabric_on_every_card(
    kind: str, name: str, machine: str | None, fabric: int
) -> None:
    (template,) = [
        inputs for _, full, inputs in registered(kind, machine=machine) if full == f"{name}-training-template"
    ]
    places = [
        (item["networkCardIndex"], item["deviceIndex"], item["interfaceType"]) for item in template["networkInterfaces"]
    ]
    assert places == [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, fabric))]


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
        "perUnitStorageThroughput": 125,  # no price is known here
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
