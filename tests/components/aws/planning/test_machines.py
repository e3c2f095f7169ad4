"""What a place lets a cluster be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.aws.cloud import CLOUD
from gpucluster.components.aws.location import Location
from gpucluster.components.shared.file_systems import ExistingStoragePlan
from gpucluster.components.spec.cluster import ClusterSpec
from tests.components.told import refused

Vary = Callable[..., ClusterSpec]


def place(zone: str, second_zone: str | None = None, *, region: str = "us-east-1") -> Location:
    return Location(region=region, zone=zone, second_zone=second_zone)


SOLD_IN = (
    "it is available in ap-northeast-1, ap-northeast-2, ap-south-1, ap-southeast-2, ap-southeast-3, ca-central-1, "
    "eu-north-1, eu-west-2, sa-east-1, us-east-1, us-east-2, us-west-1, us-west-2, us-gov-west-1"
)


@pytest.mark.parametrize(
    ("region", "zone", "expected"),
    [
        (
            "eu-west-3",
            "eu-west-3a",
            "region is 'eu-west-3', where p5.48xlarge for the training pool is not available (list of 2026-10-27); "
            f"{SOLD_IN}",
        ),
        (
            "cn-north-1",
            "cn-north-1a",
            "region is 'cn-north-1', where p5.48xlarge for the training pool is not available (list of 2024-11-06); "
            f"{SOLD_IN}",
        ),
        (
            "ca-central-1",
            "cac1-az1",
            "zone is 'cac1-az1', where p5.48xlarge for the training pool is not available (list of 2026-10-27); in "
            "ca-central-1 it is available in cac1-az4",
        ),
    ],
)
def test_a_machine_that_is_not_sold_there_is_refused(vary: Vary, region: str, zone: str, expected: str) -> None:
    spec = vary(elastic=None)
    assert refused("aws", spec, place(zone, region=region))[0] == expected


@pytest.mark.parametrize(
    ("region", "zone"),
    [
        ("us-east-1", "us-east-1a"),
        ("us-east-1", "use1-az6"),
        ("us-east-1", "use1-az3"),
        ("us-east-1", "us-east-1-atl-2a"),
        ("us-gov-west-1", "us-gov-west-1a"),
        ("sa-east-1", "sae1-az3"),
        ("mx-central-1", "mx-central-1a"),
    ],
)
def test_a_place_that_sells_it_or_of_which_nothing_is_known_passes(vary: Vary, region: str, zone: str) -> None:
    assert refused("aws", vary(), place(zone, region=region)) == []


def test_the_machines_of_every_pool_are_looked_up(vary: Vary) -> None:
    spec = vary(mig={"nodes": 1, "layout": "all-1g.10gb"})
    assert [
        one.partition(" is not available")[0] for one in refused("aws", spec, place("cac1-az4", region="ca-central-1"))
    ] == [
        "region is 'ca-central-1', where p5.4xlarge for the MIG pool",
        "region is 'ca-central-1', where p5.4xlarge for the elastic pools",
    ]


def test_a_reservation_proves_that_its_zone_has_the_machine(vary: Vary) -> None:
    held = vary(elastic=None, placement={"kind": "reservation", "id": "cr-1"})
    assert refused("aws", held, place("cac1-az1", region="ca-central-1")) == []
    assert notes(held, place("cac1-az1", region="ca-central-1"), "is available") == [
        "whether p5.48xlarge for the training pool is available in cac1-az1 is unknown: in ca-central-1 it is "
        "available in cac1-az4"
    ]


def test_where_metrics_have_nowhere_to_go_no_cluster_stands(vary: Vary) -> None:
    assert refused("aws", vary(elastic=None), place("cn-northwest-1a", region="cn-northwest-1")) == [
        "region is 'cn-northwest-1', which has no Amazon Managed Service for Prometheus, which stores metrics and "
        "evaluates alerts of the cluster; choose another region"
    ]


@pytest.mark.parametrize(
    ("shared", "zone", "expected"),
    [
        (
            {"fabric": True},
            "sae1-az3",
            "region is 'sa-east-1', where FSx for Lustre has no EFA, which storage.shared.fabric requests; remove it "
            "from the spec, or choose another region",
        ),
        (
            {"tier": 250},
            "sae1-az3",
            "region is 'sa-east-1', where FSx for Lustre has 50, 100, 200 MB/s per TiB and storage.shared.tier is 250"
            "; remove it from the spec, or choose another region",
        ),
        (
            {"tier": 500},
            "us-east-1-atl-2a",
            "zone is 'us-east-1-atl-2a', where FSx for Lustre has 125, 250 MB/s per TiB and storage.shared.tier is 500"
            "; remove it from the spec, or choose another zone",
        ),
        (
            {"fabric": True},
            "use1-bos1-az1",
            "zone is 'use1-bos1-az1', where FSx for Lustre has no EFA, which storage.shared.fabric requests; remove "
            "it from the spec, or choose another zone",
        ),
    ],
)
def test_storage_that_is_not_sold_there_is_refused(
    vary: Vary, shared: dict[str, Any], zone: str, expected: str
) -> None:
    region = "sa-east-1" if zone.startswith("sae1") else "us-east-1"
    spec = vary(storage={"shared": {"usable_tib": 20, **shared}})
    assert refused("aws", spec, place(zone, region=region)) == [expected]


def test_home_folders_have_no_mount_target_in_a_local_zone(vary: Vary) -> None:
    spec = vary(storage={"shared": {"usable_tib": 20}, "home": {"expected_gib": 100}})
    assert refused("aws", spec, place("use1-atl2-az1")) == [
        "zone is 'use1-atl2-az1', a Local Zone, where EFS has no mount target; "
        "remove storage.home from the spec, or choose an Availability Zone"
    ]


@pytest.mark.parametrize(
    ("region", "zone", "expected"),
    [
        ("us-east-1", "use1-az6", ("PERSISTENT_2", 125, True)),
        ("us-gov-west-1", "us-gov-west-1a", ("PERSISTENT_1", 50, True)),
        ("sa-east-1", "sae1-az3", ("PERSISTENT_1", 50, True)),
        ("us-east-1", "us-east-1-atl-2a", ("PERSISTENT_2", 125, True)),
        ("us-east-1", "use1-bos1-az1", ("PERSISTENT_2", 125, False)),
    ],
)
def test_lustre_is_of_a_kind_that_is_sold_there(
    vary: Vary, region: str, zone: str, expected: tuple[str, int, bool]
) -> None:
    spec = vary(storage={"shared": {"usable_tib": 20}})
    storage = CLOUD.plan_cluster(spec, place(zone, region=region), stack="s").storage
    assert not isinstance(storage, ExistingStoragePlan)
    assert (storage.deployment, storage.tier, storage.in_gpu_zone) == expected


def notes(spec: ClusterSpec, location: Location, word: str) -> list[str]:
    found = CLOUD.plan_cluster(spec, location, stack="s").facts.registered()["notes"]
    return [note for note in found if word in note]


def test_what_the_name_of_a_zone_leaves_open_is_said(vary: Vary) -> None:
    assert notes(vary(), place("us-east-1c"), "control plane") == [
        "EKS places no control plane in use1-az3, which us-east-1c or us-east-1a may be in your account: `aws ec2 "
        "describe-availability-zones --query 'AvailabilityZones[].[ZoneName,ZoneId]'` shows it; zones may be "
        "written as ids"
    ]
    assert notes(vary(), place("use1-az6"), "control plane") == []
    assert notes(vary(), place("us-east-2a", region="us-east-2"), "control plane") == []


def test_what_a_local_zone_asks_is_said(vary: Vary) -> None:
    assert notes(vary(), place("us-east-1-atl-2a"), "Local Zone") == [
        "us-east-1-atl-2a is a Local Zone, which the account must opt in to: control plane and system nodes are in "
        "use1-az1 and use1-az2; whether it has gp3 disks is unknown"
    ]
    assert (
        "and shared storage in use1-az1, so every read crosses zones"
        in notes(vary(), place("use1-bos1-az1"), "Local Zone")[0]
    )


def test_what_no_list_tells_is_said(vary: Vary) -> None:
    assert notes(vary(elastic=None), place("mx-central-1a", region="mx-central-1"), "is available") == [
        "whether p5.48xlarge for the training pool is available in mx-central-1 is unknown: no list of its machines "
        "is known"
    ]
    assert notes(vary(elastic=None), place("eu-north-1a", region="eu-north-1"), "is available") == []
    assert notes(vary(elastic=None), place("ca-central-1a", region="ca-central-1"), "is available") == [
        "whether p5.48xlarge for the training pool is available in ca-central-1a is unknown: in ca-central-1 it is "
        "available in cac1-az4"
    ]


@pytest.mark.parametrize(
    ("region", "zone", "machine"),
    [("us-gov-west-1", "us-gov-west-1a", "p5.48xlarge"), ("us-east-1", "use1-az2", "p5e.48xlarge")],
)
def test_a_list_that_has_the_region_alone_leaves_the_zone_open(
    vary: Vary, region: str, zone: str, machine: str
) -> None:
    spec = vary(elastic=None, accelerator="h200" if machine.startswith("p5e") else "h100")
    found = CLOUD.plan_cluster(spec, place(zone, region=region), stack="s", machine=machine).facts.registered()["notes"]
    assert [note for note in found if machine in note and "unknown" in note] == [
        f"the zones of {region} with {machine} for the training pool are unknown: the list has the region only"
    ]


def test_in_govcloud_the_managed_collector_is_not_built(vary: Vary) -> None:
    facts = CLOUD.plan_cluster(vary(), place("us-gov-west-1a", region="us-gov-west-1"), stack="s").facts.registered()
    assert facts["notBuilt"] == [
        "metrics of the GPUs: EKS has no managed collector in us-gov-west-1, so no GPU alerts are sent; metrics that "
        "jobs send reach the workspace (telemetry.collector)"
    ]
