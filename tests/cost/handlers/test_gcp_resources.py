"""One Google Cloud resource by itself: its lines as exact amounts, or why it has none."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import UNKNOWN, Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
ZONE = "us-central1-a"

LINES: list[tuple[str, dict[str, Any], list[tuple[str, str, str, str]]]] = [
    (
        "gcp:container/cluster:Cluster",
        {"location": "us-central1", "removeDefaultNodePool": True, "initialNodeCount": 1, "loggingConfig": {}},
        [("GKE cluster management", "730", "0.1", "73.00"), ("Data between zones", "0", "0.01", "0.00")],
    ),
    (
        "gcp:container/cluster:Cluster",
        {
            "location": "us-central1",
            "removeDefaultNodePool": True,
            "initialNodeCount": 1,
            "monitoringConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "DCGM"]},
        },
        [
            ("GKE cluster management", "730", "0.1", "73.00"),
            ("Data between zones", "0", "0.01", "0.00"),
            ("Managed Prometheus samples", "0", "0.06", "0.00"),
            ("Cloud Logging", "0", "0.5", "0.00"),
        ],
    ),
    (
        "gcp:container/cluster:Cluster",
        {
            "location": "us-central1",
            "removeDefaultNodePool": True,
            "initialNodeCount": 1,
            "monitoringConfig": {"managedPrometheus": {"enabled": True}},
            "loggingConfig": {"enableComponents": []},
            "resourceLabels": {"gpucluster-expected-million-samples": "48"},
        },
        [
            ("GKE cluster management", "730", "0.1", "73.00"),
            ("Data between zones", "0", "0.01", "0.00"),
            ("Managed Prometheus samples", "48", "0.06", "2.88"),
        ],
    ),
    (
        "gcp:container/cluster:Cluster",
        {"location": "us-central1", "initialNodeCount": 2, "loggingConfig": {"enableComponents": []}},
        [
            ("GKE cluster management", "730", "0.1", "73.00"),
            ("Data between zones", "0", "0.01", "0.00"),
            ("6 x e2-medium on demand", "4380", "0.033506", "146.76"),
            ("boot disks, pd-balanced", "600", "0.1", "60.00"),
            ("External IPv4 addresses", "4380", "0.005", "21.90"),
        ],
    ),
    (
        "gcp:compute/routerNat:RouterNat",
        {"region": "us-central1", "natIpAllocateOption": "AUTO_ONLY"},
        [
            ("Cloud NAT gateway", "0", "0.0014", "0.00"),
            ("NAT data processed", "0", "0.045", "0.00"),
            ("Internet egress", "0", "0.12", "0.00"),
            ("NAT address", "730", "0.005", "3.65"),
        ],
    ),
    (
        "gcp:compute/address:Address",
        {"region": "us-central1"},
        [("External IPv4 address", "730", "0.005", "3.65")],
    ),
    (
        "gcp:lustre/instance:Instance",
        {"location": ZONE, "capacityGib": "36000", "perUnitStorageThroughput": "250"},
        [("Managed Lustre, 250 MB/s per TiB", "36000", "0.21", "7560.00")],
    ),
    (
        "gcp:lustre/instance:Instance",
        {"location": ZONE, "capacityGib": "9000", "perUnitStorageThroughput": "1000"},
        [("Managed Lustre, 1000 MB/s per TiB", "9000", "0.6", "5400.00")],
    ),
    (
        "gcp:lustre/instance:Instance",
        {"location": ZONE, "capacityGib": "472000", "dynamicTierOptions": {"mode": "DEFAULT_CACHE"}},
        [("Managed Lustre, dynamic tier", "472000", "0.06", "28320.00")],
    ),
    (
        "gcp:filestore/instance:Instance",
        {"location": ZONE, "tier": "ZONAL", "fileShares": {"name": "home", "capacityGb": 1024}},
        [("Filestore ZONAL", "1024", "0.25", "256.00")],
    ),
    (
        "gcp:storage/bucket:Bucket",
        {"location": "US-CENTRAL1"},
        [("Cloud Storage standard", "0", "0.02", "0.00")],
    ),
    (
        "gcp:storage/bucket:Bucket",
        {"location": "US-CENTRAL1", "labels": {"gpucluster-expected-gib": "20480"}},
        [("Cloud Storage standard", "20480", "0.02", "409.60")],
    ),
    ("gcp:kms/cryptoKey:CryptoKey", {"keyRing": UNKNOWN}, [("Cloud KMS key", "1", "0.06", "0.06")]),
    (
        "gcp:compute/disk:Disk",
        {"zone": ZONE, "size": 500, "type": "pd-ssd"},
        [("disk, pd-ssd", "500", "0.17", "85.00")],
    ),
    (
        "gcp:compute/disk:Disk",
        {
            "zone": ZONE,
            "size": 100,
            "type": "hyperdisk-balanced",
            "provisionedIops": 3000,
            "provisionedThroughput": 140,
        },
        [
            ("disk, hyperdisk-balanced", "100", "0.08", "8.00"),
        ],
    ),
    (
        "gcp:compute/disk:Disk",
        {"zone": ZONE, "size": 100, "type": "hyperdisk-extreme", "provisionedIops": 1000},
        [
            ("disk, hyperdisk-extreme", "100", "0.125", "12.50"),
            ("disk, hyperdisk-extreme: IOPS", "1000", "0.032", "32.00"),
        ],
    ),
    (
        "gcp:compute/instance:Instance",
        {
            "zone": ZONE,
            "machineType": "n2-standard-4",
            "bootDisk": {"initializeParams": {"size": 50, "type": "pd-balanced"}},
            "scratchDisks": [{"interface": "NVME"}, {"interface": "NVME"}],
            "networkInterfaces": [{"accessConfigs": [{}]}],
        },
        [
            ("1 x n2-standard-4 on demand", "730", "0.194236", "141.79"),
            ("local SSDs, local-ssd", "750", "0.08", "60.00"),
            ("boot disk, pd-balanced", "50", "0.1", "5.00"),
            ("External IPv4 address", "730", "0.005", "3.65"),
        ],
    ),
    (
        "gcp:compute/instance:Instance",
        {
            "zone": ZONE,
            "machineType": "a3-highgpu-1g",
            "scheduling": {"provisioningModel": "FLEX_START"},
            "guestAccelerators": [{"type": "nvidia-h100-80gb", "count": 1}],
            "scratchDisks": [{}, {}],
            "bootDisk": {"source": "a-disk-of-its-own"},
        },
        [("1 x a3-highgpu-1g flex-start", "730", "4.79", "3496.70")],
    ),
    (
        "gcp:compute/reservation:Reservation",
        {"zone": ZONE, "specificReservation": {"count": 2, "instanceProperties": {"machineType": "a3-megagpu-8g"}}},
        [("2 x a3-megagpu-8g reserved, on demand", "1460", "93.40", "136364.00")],
    ),
]


@pytest.mark.parametrize(("type_", "inputs", "lines"), LINES)
def test_a_resource_has_exactly_these_lines(
    make: Make, cost_of: CostOf, type_: str, inputs: dict[str, Any], lines: list[tuple[str, str, str, str]]
) -> None:
    found = cost_of(make(type_, **inputs), region=None)
    assert found.not_priced == ()
    assert [
        (line.name, f"{line.quantity:f}", f"{line.unit_price:f}", f"{line.monthly:f}") for line in found.lines
    ] == lines


REASONS: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "gcp:container/cluster:Cluster",
        {"location": "us-central1", "enableAutopilot": True},
        ["Autopilot: pods are billed by their resource requests, which no plan shows"],
    ),
    (
        "gcp:container/cluster:Cluster",
        {"location": "us-central1", "clusterAutoscaling": {"enabled": True}},
        ["node auto-provisioning: GKE starts machines that no plan shows"],
    ),
    (
        "gcp:container/cluster:Cluster",
        {"location": "us-central1", "releaseChannel": {"channel": "EXTENDED"}},
        ["release channel EXTENDED: a further fee once its version is in extended support"],
    ),
    (
        "gcp:container/cluster:Cluster",
        {"location": "us-central1", "nodePools": [{"name": "inside"}]},
        ["nodePools inside the cluster: declare them as node pools of their own"],
    ),
    (
        "gcp:compute/routerNat:RouterNat",
        {"region": "europe-west4"},
        [
            "no price for cloud-nat-data-processed on_demand in gcp europe-west4 per GiB; "
            "known: us-central1 on_demand",
            "no price for cloud-nat-ip-hour on_demand in gcp europe-west4 per hour; known: us-central1 on_demand",
        ],
    ),
    ("gcp:compute/routerNat:RouterNat", {"region": "us-central1", "type": "PRIVATE"},
     ["type is 'PRIVATE': the price book has public NAT only"]),
    (
        "gcp:lustre/instance:Instance",
        {"location": "us-west4-a", "capacityGib": "18000", "perUnitStorageThroughput": "500"},
        ["no price for managed-lustre-500 on_demand in gcp us-west4 per GiB-month; known: us-central1 on_demand"],
    ),
    (
        "gcp:lustre/instance:Instance",
        {"location": ZONE, "capacityGib": UNKNOWN, "perUnitStorageThroughput": "500"},
        ["capacityGib is not known before the update"],
    ),
    (
        "gcp:filestore/instance:Instance",
        {"location": ZONE, "tier": "HIGH_SCALE_SSD", "fileShares": {"capacityGb": 1}},
        [
            "tier is 'HIGH_SCALE_SSD'; priced are STANDARD, BASIC_HDD, PREMIUM, BASIC_SSD, ZONAL, REGIONAL, ENTERPRISE"
        ],
    ),
    (
        "gcp:filestore/instance:Instance",
        {"location": ZONE, "tier": "ZONAL", "fileShares": {"capacityGb": 1024}, "performanceConfig": {}},
        ["custom performance: billed by instance, GiB and IOPS; no price known"],
    ),
    (
        "gcp:storage/bucket:Bucket",
        {"location": "us-central1", "autoclass": {"enabled": True}},
        ["autoclass: billed by managed object; no price known"],
    ),
    (
        "gcp:storage/bucket:Bucket",
        {"location": "us-central1", "labels": {"gpucluster-expected-gib": "much"}},
        ["label gpucluster-expected-gib is 'much', expected a number of 0 or more"],
    ),
    (
        "gcp:storage/bucket:Bucket",
        {"location": "us-central1", "storageClass": "RAPID"},
        ["storageClass is 'RAPID'; priced are STANDARD, REGIONAL, NEARLINE, COLDLINE, ARCHIVE"],
    ),
    (
        "gcp:kms/cryptoKey:CryptoKey",
        {"versionTemplate": {"protectionLevel": "HSM"}},
        ["versionTemplate.protectionLevel is 'HSM': the price book has SOFTWARE keys only"],
    ),
    (
        "gcp:compute/disk:Disk",
        {"zone": ZONE, "size": 100, "type": "hyperdisk-ml"},
        [
            "no price for hyperdisk-ml-capacity on_demand in gcp us-central1: "
            "the price book has no row for hyperdisk-ml-capacity"
        ],
    ),
    (
        "gcp:compute/instance:Instance",
        {"zone": ZONE, "machineType": "a3-highgpu-1g", "bootDisk": {"source": "disk"}},
        [
            "a3-highgpu-1g is not sold on demand: created as Spot or Flex-start VMs only "
            "(Compute Engine documentation, GPU machine types)"
        ],
    ),
    (
        "gcp:compute/instance:Instance",
        {"zone": ZONE, "machineType": "n2-standard-4", "bootDisk": {"initializeParams": {"image": "debian"}}},
        ["boot disk: its size is that of its image, which a plan does not show; set bootDisk size"],
    ),
    (
        "gcp:compute/futureReservation:FutureReservation",
        {"zone": ZONE, "planningStatus": "SUBMITTED"},
        ["submitted: billed for its whole time window, not by the month"],
    ),
    (
        "gcp:compute/globalAddress:GlobalAddress",
        {"addressType": "EXTERNAL"},
        ["an external global address: the price book has regional addresses only"],
    ),
    ("gcp:storage/anywhereCache:AnywhereCache", {"zone": ZONE}, ["no handler for its type"]),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "inputs", "reasons"), REASONS)
def test_what_has_no_price_is_named_with_the_reason(
    make: Make, cost_of: CostOf, type_: str, inputs: dict[str, Any], reasons: list[str]
) -> None:
    found = cost_of(make(type_, "thing", **inputs), region=None)
    assert [item.reason for item in found.not_priced] == reasons
    assert not found.complete


FREE: list[tuple[str, dict[str, Any]]] = [
    ("gcp:compute/network:Network", {}),
    ("gcp:compute/subnetwork:Subnetwork", {}),
    ("gcp:compute/firewall:Firewall", {}),
    ("gcp:compute/router:Router", {}),
    ("gcp:compute/resourcePolicy:ResourcePolicy", {}),
    ("gcp:compute/globalAddress:GlobalAddress", {"addressType": "INTERNAL", "purpose": "VPC_PEERING"}),
    ("gcp:compute/address:Address", {"addressType": "INTERNAL"}),
    ("gcp:compute/futureReservation:FutureReservation", {"planningStatus": "DRAFT"}),
    ("gcp:servicenetworking/connection:Connection", {}),
    ("gcp:projects/service:Service", {"service": "container.googleapis.com"}),
    ("gcp:projects/iAMMember:IAMMember", {}),
    ("gcp:projects/iAMCustomRole:IAMCustomRole", {}),
    ("gcp:serviceaccount/account:Account", {}),
    ("gcp:serviceaccount/iAMMember:IAMMember", {}),
    ("gcp:storage/bucketIAMMember:BucketIAMMember", {}),
    ("gcp:kms/keyRing:KeyRing", {}),
    ("kubernetes:networking.gke.io/v1:Network", {}),
    ("kubernetes:networking.gke.io/v1:GKENetworkParamSet", {}),
    ("kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass", {}),
    ("kubernetes:monitoring.googleapis.com/v1:PodMonitoring", {}),
]


@pytest.mark.parametrize(("type_", "inputs"), FREE)
def test_what_is_free_says_why_and_where_that_is_said(
    make: Make, cost_of: CostOf, type_: str, inputs: dict[str, Any]
) -> None:
    found = cost_of(make(type_, **inputs))
    assert (found.coverage.free, found.lines, found.not_priced) == (1, (), ())
    (item,) = found.free
    assert item.type == type_
    assert item.why
    assert item.source.startswith("https://")


def test_what_no_plan_knows_is_an_input(make: Make, cost_of: CostOf) -> None:
    assumptions = Assumptions().with_values(
        {
            "nat_gib": "100",
            "egress_gib": "50",
            "gcs_gib": "1000",
            "inter_zone_gib": "200",
            "log_gib": "10",
            "prometheus_million_samples": "500",
        }
    )
    found = cost_of(
        make("gcp:compute/routerNat:RouterNat", region="us-central1"),
        make("gcp:storage/bucket:Bucket", location="us-central1"),
        make("gcp:container/cluster:Cluster", location="us-central1",
             monitoringConfig={"managedPrometheus": {"enabled": True}}),
        assumptions=assumptions,
    )  # fmt: skip
    assert {line.name: f"{line.monthly:f}" for line in found.lines} == {
        "Cloud NAT gateway": "0.00",
        "NAT data processed": "4.50",
        "Internet egress": "6.00",
        "NAT address": "3.65",
        "Cloud Storage standard": "20.00",
        "GKE cluster management": "73.00",
        "Data between zones": "2.00",
        "Managed Prometheus samples": "30.00",
        "Cloud Logging": "5.00",
    }


@pytest.mark.parametrize(
    ("labels", "millions", "said"),
    [
        ({}, "500", "prometheus_million_samples: 500 million samples a month"),
        (
            {"gpucluster-expected-million-samples": "48"},
            "548",
            "48 million samples a month of GPUs and rules (gpucluster-expected-million-samples of it), 500 million of "
            "everything else that the cloud collects, such as containers (prometheus_million_samples)",
        ),
    ],
)
def test_samples_are_those_that_the_cluster_says_and_those_that_are_assumed(
    make: Make, cost_of: CostOf, labels: dict[str, str], millions: str, said: str
) -> None:
    found = cost_of(
        make("gcp:container/cluster:Cluster", "it", location="us-central1", resourceLabels=labels,
             monitoringConfig={"managedPrometheus": {"enabled": True}}),
        assumptions=Assumptions().with_values({"prometheus_million_samples": "500"}),
    )  # fmt: skip
    (line,) = [line for line in found.lines if line.name == "Managed Prometheus samples"]
    assert (f"{line.quantity:f}", line.assumption) == (millions, said)


def test_names_that_pods_look_up_are_an_input_where_cloud_dns_answers(make: Make, cost_of: CostOf) -> None:
    usage = Assumptions().with_values({"dns_million_queries": "50"})
    for given, lines in (
        (
            {"clusterDns": "CLOUD_DNS"},
            [(Decimal("20.00"), "dns_million_queries: 50 million queries a month to each zone")],
        ),
        ({"clusterDns": "KUBE_DNS"}, []),
    ):
        cluster = make("gcp:container/cluster:Cluster", "it", location="us-central1", dnsConfig=given)
        found = cost_of(cluster, assumptions=usage).lines
        assert [(line.monthly, line.assumption) for line in found if line.name == "Cloud DNS queries"] == lines


@pytest.mark.parametrize(
    ("location", "said"),
    [
        (
            "us-central1",
            "GKE's free tier, a credit of the billing account, is for zonal and Autopilot clusters: none for this one",
        ),
        (
            ZONE,
            "GKE's free tier, a credit of $74.40 a month for each billing account, pays for one zonal or Autopilot "
            "cluster; other clusters of the account are unknown, so it is not deducted",
        ),
    ],
)
def test_the_free_tier_is_said_and_never_taken_off(make: Make, cost_of: CostOf, location: str, said: str) -> None:
    line, *_ = cost_of(make("gcp:container/cluster:Cluster", location=location, loggingConfig={})).lines
    assert (line.monthly, line.assumption) == (Decimal("73.00"), said)


@pytest.mark.parametrize(
    ("pools", "hours"),
    [
        ([{"nodeCount": 5}, {"nodeCount": 2}], "5110"),
        ([{"nodeCount": 40}], "23360"),  # 32 machines are billed at the most
    ],
)
def test_a_nat_gateway_bills_each_machine_behind_it_up_to_32(
    make: Make, cost_of: CostOf, pools: list[dict[str, Any]], hours: str
) -> None:
    nodes = [
        make("gcp:container/nodePool:NodePool", f"pool-{index}", location=ZONE, **pool)
        for index, pool in enumerate(pools)
    ]
    found = cost_of(*nodes, make("gcp:compute/routerNat:RouterNat", region="us-central1"))
    (line,) = [line for line in found.lines if line.name == "Cloud NAT gateway"]
    assert f"{line.quantity:f}" == hours


@pytest.mark.parametrize(
    ("performance", "assumptions"),
    [
        (
            {},
            (
                "hyperdisk-balanced whose performance Compute Engine sets: assumed within what its price "
                "includes, 3,000 IOPS and 140 MiB/s",
            ),
        ),
        ({"provisionedIops": 3000, "provisionedThroughput": 140}, ()),
    ],
)
def test_a_hyperdisk_without_declared_performance_says_what_is_taken(
    make: Make, cost_of: CostOf, performance: dict[str, int], assumptions: tuple[str, ...]
) -> None:
    disk = make("gcp:compute/disk:Disk", zone=ZONE, size=100, type="hyperdisk-balanced", **performance)
    found = cost_of(disk, region=None)
    assert (found.assumptions, found.monthly.expected) == (assumptions, Decimal("8.00"))


@pytest.mark.parametrize(
    ("place", "dollars"),
    [
        ({"location": "us-central1"}, ["10.00"]),
        ({"location": "us-central1-a", "nodeLocations": ["us-central1-b"]}, ["10.00"]),
        ({"location": "us-central1-a"}, []),
    ],
)
def test_a_cluster_of_several_zones_pays_for_what_goes_between_them(
    make: Make, cost_of: CostOf, place: dict[str, Any], dollars: list[str]
) -> None:
    """Once, where it leaves, in every region alike."""
    usage = Assumptions().with_values({"inter_zone_gib": "1000"})
    found = cost_of(make("gcp:container/cluster:Cluster", "it", **place), assumptions=usage).lines
    assert [f"{line.monthly}" for line in found if line.sku == "inter-zone"] == dollars
