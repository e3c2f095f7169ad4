"""One resource by itself: its lines as exact amounts, or why it has none."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import UNKNOWN, Resource

LINES: list[tuple[str, dict[str, Any], list[tuple[str, str, str, str]]]] = [
    (
        "aws:eks/cluster:Cluster",
        {"version": "1.35"},
        [("EKS control plane, standard support", "730", "0.1", "73.00")],
    ),
    (
        "aws:eks/cluster:Cluster",
        {"version": "1.33"},
        [("EKS control plane, extended support", "730", "0.6", "438.00")],
    ),
    (
        "aws:eks/cluster:Cluster",
        {"version": "1.33", "upgradePolicy": {"supportType": "STANDARD"}},
        [("EKS control plane, standard support", "730", "0.1", "73.00")],
    ),
    ("aws:eks/cluster:Cluster", {"version": "1.22"}, [("EKS control plane, extended support", "730", "0.6", "438.00")]),
    ("aws:eks/cluster:Cluster", {}, [("EKS control plane, standard support", "730", "0.1", "73.00")]),
    (
        "aws:eks/cluster:Cluster",
        {"version": "1.35", "enabledClusterLogTypes": ["audit"]},
        [
            ("EKS control plane, standard support", "730", "0.1", "73.00"),
            ("Control-plane logs ingested", "9.0", "0.5", "4.50"),
        ],
    ),
    (
        "aws:ec2/natGateway:NatGateway",
        {"subnetId": UNKNOWN},
        [("NAT gateway", "730", "0.045", "32.85"), ("NAT data processed", "0", "0.045", "0.00")],
    ),
    ("aws:ec2/eip:Eip", {"domain": "vpc"}, [("Public IPv4 address", "730", "0.005", "3.65")]),
    (
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        {"vpcEndpointType": "Interface", "subnetIds": [UNKNOWN, UNKNOWN]},
        [("Interface endpoint", "1460", "0.01", "14.60"), ("Interface endpoint data", "0", "0.01", "0.00")],
    ),
    (
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {"deploymentType": "PERSISTENT_2", "storageCapacity": 26400, "perUnitStorageThroughput": 125},
        [("Lustre PERSISTENT_2 SSD, 125 MB/s per TiB", "26400", "0.145", "3828.00")],
    ),
    (
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {"deploymentType": "PERSISTENT_2", "storageCapacity": 4800, "perUnitStorageThroughput": 500},
        [("Lustre PERSISTENT_2 SSD, 500 MB/s per TiB", "4800", "0.34", "1632.00")],
    ),
    (
        "aws:efs/fileSystem:FileSystem",
        {"encrypted": True, "tags": {"gpucluster/expected-gib": "500"}},
        [("EFS standard storage", "500", "0.3", "150.00")],
    ),
    (
        "aws:efs/fileSystem:FileSystem",
        {"availabilityZoneName": "us-east-1a"},
        [("EFS One Zone storage", "0", "0.16", "0.00")],
    ),
    (
        "aws:efs/fileSystem:FileSystem",
        {"throughputMode": "provisioned", "provisionedThroughputInMibps": 10},
        [("EFS standard storage", "0", "0.3", "0.00"), ("EFS provisioned throughput", "10", "6", "60.00")],
    ),
    ("aws:ebs/volume:Volume", {"size": 40, "type": "gp3"}, [("volume, gp3", "40", "0.08", "3.20")]),
    ("aws:ebs/volume:Volume", {"size": 40}, [("volume, gp2", "40", "0.1", "4.00")]),
    (
        "aws:ebs/volume:Volume",
        {"size": 1000, "type": "gp3", "iops": 4000, "throughput": 225},
        [
            ("volume, gp3", "1000", "0.08", "80.00"),
            ("volume, gp3: IOPS above 3000", "1000", "0.005", "5.00"),
            ("volume, gp3: MiB/s above 125", "100", "0.04", "4.00"),
        ],
    ),
    (
        "aws:ebs/volume:Volume",
        {"size": 100, "type": "io2", "iops": 1000},
        [("volume, io2", "100", "0.125", "12.50"), ("volume, io2: IOPS", "1000", "0.065", "65.00")],
    ),
    (
        "aws:ec2/instance:Instance",
        {"instanceType": "m6i.large", "rootBlockDevice": {"volumeSize": 30}, "ebsBlockDevices": [{"volumeSize": 50}]},
        [
            ("1 x m6i.large on demand", "730", "0.096", "70.08"),
            ("root disk, gp3", "30", "0.08", "2.40"),
            ("data disk, gp3", "50", "0.08", "4.00"),
            ("Public IPv4 address", "730", "0.005", "3.65"),
        ],
    ),
    (
        "aws:ec2/capacityReservation:CapacityReservation",
        {"instanceType": "p5.48xlarge", "instanceCount": 2, "instancePlatform": "Linux/UNIX"},
        [("2 x p5.48xlarge reserved, on demand", "1460", "55.04", "80358.40")],
    ),
    ("aws:kms/key:Key", {}, [("KMS key", "1", "1", "1.00")]),
    ("aws:sqs/queue:Queue", {}, [("SQS requests", "0", "0.4", "0.00")]),
    ("aws:sqs/queue:Queue", {"fifoQueue": True}, [("SQS requests", "0", "0.5", "0.00")]),
    ("aws:cloudwatch/logGroup:LogGroup", {}, [("Logs ingested", "0", "0.5", "0.00")]),
    ("aws:s3/bucket:Bucket", {}, [("S3 standard storage", "0", "0.023", "0.00")]),
    (
        "aws:s3/bucket:Bucket",
        {"tags": {"gpucluster/expected-gib": "5000"}},
        [("S3 standard storage", "5000", "0.023", "115.00")],
    ),
]


@pytest.mark.parametrize(("type_", "inputs", "lines"), LINES)
def test_a_resource_has_exactly_these_lines(
    make: Callable[..., Resource],
    cost_of: Callable[..., Estimate],
    type_: str,
    inputs: dict[str, Any],
    lines: list[tuple[str, str, str, str]],
) -> None:
    found = cost_of(make(type_, **inputs))
    assert found.not_priced == ()
    assert [
        (line.name, f"{line.quantity:f}", f"{line.unit_price:f}", f"{line.monthly:f}") for line in found.lines
    ] == lines


PERSISTENT: dict[str, Any] = {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 125}
EPHEMERAL: dict[str, Any] = {"volumes": [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]}
REASONS: list[tuple[str, dict[str, Any], str]] = [
    ("aws:eks/cluster:Cluster", {"version": UNKNOWN}, "version is not known before the update"),
    ("aws:eks/cluster:Cluster", {"version": "new"}, "version is 'new', expected a Kubernetes version such as '1.35'"),
    (
        "aws:eks/cluster:Cluster",
        {"version": "1.35", "controlPlaneScalingConfig": {"tier": "tier-xl"}},
        "provisioned control plane tier-xl: the price book has no row for it",
    ),
    (
        "aws:eks/cluster:Cluster",
        {"version": "1.35", "computeConfig": {"enabled": True}},
        "Auto Mode: EKS starts machines that no plan shows",
    ),
    (
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {"deploymentType": "SCRATCH_2", "storageCapacity": 1200},
        "no price for fsx-lustre-scratch2-ssd on_demand in aws us-east-1: "
        "the price book has no row for fsx-lustre-scratch2-ssd",
    ),
    (
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {"deploymentType": "PERSISTENT_1", "storageCapacity": 4800},
        "deploymentType is 'PERSISTENT_1'; priced are PERSISTENT_2 and SCRATCH_2",
    ),
    (
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {"deploymentType": "SCRATCH_2", "storageCapacity": UNKNOWN},
        "storageCapacity is not known before the update",
    ),
    (
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {**PERSISTENT, "storageCapacity": 1200, "automaticBackupRetentionDays": 7},
        "backups: billed by the GiB stored; no price known",
    ),
    (
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        {
            **PERSISTENT,
            "storageCapacity": 26400,
            "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 24000},
        },
        "12000 metadata IOPS above the 12000 included: no price known",
    ),
    (
        "aws:efs/fileSystem:FileSystem",
        {"throughputMode": "elastic"},
        "throughputMode is 'elastic': reads and writes are billed by the GiB; no price known",
    ),
    (
        "aws:efs/fileSystem:FileSystem",
        {"tags": {"gpucluster/expected-gib": "much"}},
        "tag gpucluster/expected-gib is 'much', expected a number of 0 or more",
    ),
    ("aws:ebs/volume:Volume", {"size": -5, "type": "gp3"}, "size is -5, expected a number of 0 or more"),
    ("aws:ebs/volume:Volume", {"type": "gp3"}, "size is not set, expected a number of 0 or more"),
    (
        "aws:ebs/volume:Volume",
        {"size": 5, "type": "gp9"},
        "no price for ebs-gp9 on_demand in aws us-east-1: the price book has no row for ebs-gp9",
    ),
    (
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        {"vpcEndpointType": "GatewayLoadBalancer"},
        "vpcEndpointType is 'GatewayLoadBalancer'; priced are Gateway and Interface",
    ),
    (
        "aws:ec2/capacityReservation:CapacityReservation",
        {"instanceType": "p5.48xlarge", "instanceCount": 2, "instancePlatform": "Windows"},
        "instancePlatform is 'Windows': the price book has Linux/UNIX prices only",
    ),
    (
        "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
        {"capacityBlockOfferingId": "cbo-1"},
        "capacity block: the fee is that of its offering ('cbo-1'), paid upfront",
    ),
    (
        "kubernetes:core/v1:Service",
        {"spec": {"type": "LoadBalancer"}},
        "a Service of type LoadBalancer creates a load balancer in the cloud",
    ),
    (
        "kubernetes:core/v1:PersistentVolumeClaim",
        {"spec": {"storageClassName": "gp3"}},
        "the claim creates a new volume of class 'gp3'",
    ),
    (
        "aws:eks/addon:Addon",
        {"addonName": "kubecost_kubecost"},
        "add-on 'kubecost_kubecost': may have a marketplace fee, or send data that AWS bills",
    ),
    (
        "kubernetes:helm.sh/v3:Release",
        {"chart": "kube-prometheus-stack"},
        "chart 'kube-prometheus-stack': what the chart creates is not visible in the plan",
    ),
    ("kubernetes:helm.sh/v3:Release", {}, "chart: what the chart creates is not visible in the plan"),
    (
        "aws:cloudwatch/eventTarget:EventTarget",
        {"arn": "arn:aws:events:us-east-1:123456789012:api-destination/out"},
        "its target is not a queue, function, log group or topic of this stack: delivery may be billed",
    ),
    (
        "kubernetes:apps/v1:StatefulSet",
        {"spec": {"volumeClaimTemplates": [{"metadata": {"name": "data"}}]}},
        "it creates a new volume for each pod: data",
    ),
    *(
        (f"kubernetes:{kind}", inputs, "it creates a new volume for each pod: scratch")
        for kind, inputs in (
            ("core/v1:Pod", {"spec": EPHEMERAL}),
            ("apps/v1:Deployment", {"spec": {"template": {"spec": EPHEMERAL}}}),
            ("apps/v1:DaemonSet", {"spec": {"template": {"spec": EPHEMERAL}}}),
            ("batch/v1:Job", {"spec": {"template": {"spec": EPHEMERAL}}}),
            ("batch/v1:CronJob", {"spec": {"jobTemplate": {"spec": {"template": {"spec": EPHEMERAL}}}}}),
        )
    ),
    (
        "kubernetes:batch/v1:Job",
        {"spec": {"template": {"spec": {"volumes": UNKNOWN}}}},
        "volumes are not known before the update",
    ),
    *(
        (
            f"kubernetes:monitoring.coreos.com/v1:{kind}",
            {"spec": {"storage": {"volumeClaimTemplate": {"spec": {}}}}},
            "it creates a new volume for each pod: storage.volumeClaimTemplate",
        )
        for kind in ("Prometheus", "Alertmanager")
    ),
    ("kubernetes:networking.k8s.io/v1:Ingress", {}, "an Ingress may create a load balancer in the cloud"),
    ("kubernetes:s3.aws.crossplane.io/v1:Bucket", {}, "no handler for its type"),
    ("aws:timestreamwrite/database:Database", {}, "no handler for its type"),
    ("cloudflare:index/record:Record", {}, "no handler for its type"),
]


@pytest.mark.parametrize(("type_", "inputs", "reason"), REASONS)
def test_what_has_no_price_is_named_with_the_reason(
    make: Callable[..., Resource],
    cost_of: Callable[..., Estimate],
    type_: str,
    inputs: dict[str, Any],
    reason: str,
) -> None:
    found = cost_of(make(type_, "thing", **inputs))
    assert [(item.type, item.reason) for item in found.not_priced] == [(type_, reason)]
    assert not found.complete
    assert found.coverage.not_priced == 1


def test_traffic_between_zones_is_billed_at_both_ends(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    usage = Assumptions().with_values({"inter_zone_gib": "1000"})
    (line,) = cost_of(make("aws:ec2/vpc:Vpc"), assumptions=usage).lines
    assert (line.name, line.basis, f"{line.monthly}") == ("Data between zones", "2 x 1,000 GiB", "20.00")


FREE: list[tuple[str, dict[str, Any]]] = [
    ("aws:ec2/vpcEndpoint:VpcEndpoint", {}),
    ("aws:ec2/launchTemplate:LaunchTemplate", {"instanceType": "p5.48xlarge"}),
    ("aws:efs/mountTarget:MountTarget", {}),
    ("aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", {}),
    ("aws:iam/role:Role", {}),
    ("aws:eks/addon:Addon", {"addonName": "vpc-cni"}),
    ("kubernetes:helm.sh/v3:Release", {"chart": "oci://public.ecr.aws/karpenter/karpenter-crd"}),
    ("kubernetes:helm.sh/v3:Release", {"chart": "kueue"}),
    ("kubernetes:apps/v1:Deployment", {"spec": {"template": {"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}}}}),
    ("kubernetes:monitoring.coreos.com/v1:Prometheus", {"spec": {"storage": {"emptyDir": {}}}}),
    ("kubernetes:core/v1:Namespace", {}),
    ("kubernetes:core/v1:Service", {"spec": {"type": "ClusterIP"}}),
    ("kubernetes:core/v1:PersistentVolumeClaim", {"spec": {"storageClassName": "", "volumeName": "shared"}}),
    ("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", {}),
]


@pytest.mark.parametrize(("type_", "inputs"), FREE)
def test_what_is_free_says_why_and_where_that_is_said(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], type_: str, inputs: dict[str, Any]
) -> None:
    found = cost_of(make(type_, **inputs))
    assert (found.coverage.free, found.lines, found.not_priced) == (1, (), ())
    (item,) = found.free
    assert item.type == type_
    assert item.why
    assert item.source.startswith("https://")


@pytest.mark.parametrize(
    ("chart", "repository", "source"),
    [
        (
            "oci://public.ecr.aws/karpenter/karpenter",
            None,
            "https://github.com/aws/karpenter-provider-aws/tree/main/charts/karpenter",
        ),
        (
            "karpenter",
            {"repo": "https://cloudpilot-ai.github.io/karpenter-provider-gcp"},
            "https://github.com/cloudpilot-ai/karpenter-provider-gcp/tree/v0.5.0/charts/karpenter",
        ),
    ],
)
def test_charts_of_one_name_are_told_apart_by_their_repository(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], chart: str, repository: Any, source: str
) -> None:
    options = {} if repository is None else {"repositoryOpts": repository}
    (item,) = cost_of(make("kubernetes:helm.sh/v3:Release", chart=chart, **options)).free
    assert item.source == source


def test_a_region_that_nobody_says_is_asked_for(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    found = cost_of(make("aws:ec2/eip:Eip"), region=None)
    reason = "its region is not known: set aws:region in the configuration or on the provider, or give --region"
    assert [item.reason for item in found.not_priced] == [reason]


def test_the_region_of_the_provider_goes_before_that_of_the_configuration(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    west = make("pulumi:providers:aws", "west", region="xx-nowhere-1")
    found = cost_of(west, make("aws:ec2/eip:Eip", provider=west))
    (missing,) = found.not_priced
    assert missing.reason.startswith("no price for public-ipv4-hour on_demand in aws xx-nowhere-1 per hour; known: ")


@pytest.mark.parametrize("target", ["aws:sqs/queue:Queue", "aws:lambda/function:Function"])
def test_delivery_of_an_event_inside_the_stack_is_free(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], target: str
) -> None:
    to = make(target, "to")
    event_target = make("aws:cloudwatch/eventTarget:EventTarget", dependencies={"arn": to}, arn=UNKNOWN)
    found = cost_of(to, event_target)
    assert [item.urn for item in found.free] == [event_target.urn]


def test_a_public_address_of_a_machine_is_billed(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    disk = {"volumeSize": 10, "volumeType": "gp3"}
    inputs = {"instanceType": "m6i.xlarge", "rootBlockDevice": disk}
    found = cost_of(make("aws:ec2/instance:Instance", associatePublicIpAddress=True, **inputs))
    assert [(line.name, f"{line.monthly:f}") for line in found.lines][-1] == ("Public IPv4 address", "3.65")
    without = cost_of(make("aws:ec2/instance:Instance", associatePublicIpAddress=False, **inputs))
    assert found.monthly.expected - without.monthly.expected == Decimal("3.65")


def test_a_chart_whose_objects_are_hidden_is_named_and_one_whose_objects_are_listed_is_not(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate]
) -> None:
    chart = make("kubernetes:helm.sh/v4:Chart", "charted", custom=False, chart="loki")
    assert [item.reason for item in cost_of(chart).not_priced] == [
        "chart 'loki': what the chart creates is not visible in the plan"
    ]
    listed = make("kubernetes:core/v1:PersistentVolumeClaim", "claim", parent=chart, spec={"storageClassName": "gp3"})
    assert [item.urn for item in cost_of(chart, listed).not_priced] == [listed.urn]


@pytest.mark.parametrize(
    ("group", "lines"),
    [
        ("/aws/eks/one/cluster", ["EKS control plane, standard support", "Control-plane logs ingested"]),
        (
            "/aws/eks/other/cluster",
            ["EKS control plane, standard support", "Control-plane logs ingested", "Logs ingested"],
        ),
    ],
)
def test_control_plane_logs_are_priced_once(
    make: Callable[..., Resource], cost_of: Callable[..., Estimate], group: str, lines: list[str]
) -> None:
    cluster = make("aws:eks/cluster:Cluster", "c", name="one", version="1.35", enabledClusterLogTypes=["audit"])
    logs = make("aws:cloudwatch/logGroup:LogGroup", "l", name=group)
    assert sorted(line.name for line in cost_of(cluster, logs).lines) == sorted(lines)
