"""Managed Lustre, Filestore and buckets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.gcp.cloud import GcpAccount
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

LUSTRE = "lustre/instance:Instance"
SERVICE = "servicenetworking.googleapis.com"


@pytest.fixture
def vpc(create: Create) -> Entry:
    """A network with private services access."""
    made = create("compute/network:Network", "n", name="n", autoCreateSubnetworks=False)
    given = {"purpose": "VPC_PEERING", "addressType": "INTERNAL", "prefixLength": 20, "network": made.id}
    block = create("compute/globalAddress:GlobalAddress", "range", **given)
    connection = {"network": made.id, "service": SERVICE, "reservedPeeringRanges": [block.name]}
    create("servicenetworking/connection:Connection", "c", **connection)
    return made


def lustre(create: Create, **inputs: Any) -> Entry:
    given = {
        "instanceId": "shared",
        "location": "us-central1-a",
        "filesystem": "scratch",
        "capacityGib": "18000",
        "perUnitStorageThroughput": "500",
        "network": "projects/p/global/networks/n",
    }
    return create(LUSTRE, **{key: value for key, value in {**given, **inputs}.items() if value is not None})


@pytest.mark.usefixtures("vpc")
@pytest.mark.parametrize(
    ("tier", "capacity"),
    [
        ("1000", "9000"),
        ("1000", "1530000"),
        ("1000", "1584000"),
        ("1000", "10008000"),
        ("500", "18000"),
        ("500", "3168000"),
        ("250", "36000"),
        ("125", "72000"),
        ("125", "12240000"),
    ],
)
def test_a_size_that_is_sold_is_made(create: Create, tier: str, capacity: str) -> None:
    assert lustre(create, perUnitStorageThroughput=tier, capacityGib=capacity).outputs["state"] == "ACTIVE"


@pytest.mark.usefixtures("vpc")
@pytest.mark.parametrize(
    ("tier", "capacity", "message"),
    [
        (
            "1000",
            "8999",
            "8999 is not valid for this tier; valid: 9000 to 10008000 GiB in steps of 9000, above 1530000",
        ),
        ("1000", "1539000", "1539000 is not valid"),
        ("1000", "10080000", "10080000 is not valid"),
        ("500", "9000", "valid: 18000 to 20016000 GiB in steps of 18000"),
        ("250", "54000", "valid: 36000 to 40032000"),
        ("125", "36000", "valid: 72000 to 12240000 GiB in steps of 72000, INVALID_ARGUMENT"),
        ("200", "72000", "perUnitStorageThroughput 200 is not valid; valid: 1000, 500, 250, 125"),
        (None, "72000", "perUnitStorageThroughput None is not valid"),
    ],
)
def test_a_size_that_is_not_sold_is_refused(create: Create, tier: str | None, capacity: str, message: str) -> None:
    with pytest.raises(CloudError, match=message):
        lustre(create, perUnitStorageThroughput=tier, capacityGib=capacity)


@pytest.mark.usefixtures("vpc")
def test_the_dynamic_tier_has_sizes_of_its_own_and_no_throughput(create: Create) -> None:
    dynamic = {"dynamicTierOptions": {"mode": "DEFAULT_CACHE"}}
    lustre(create, perUnitStorageThroughput=None, capacityGib="472000", **dynamic)
    with pytest.raises(CloudError, match="valid: 472000 to 84016000 GiB in steps of 472000"):
        lustre(create, instanceId="b", perUnitStorageThroughput=None, capacityGib="72000", **dynamic)
    with pytest.raises(CloudError, match="cannot be set with the dynamic tier"):
        lustre(create, instanceId="c", capacityGib="472000", **dynamic)


@pytest.mark.usefixtures("vpc")
@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"filesystem": "ninechars"}, "filesystem 'ninechars' is not valid; valid: up to 8 letters and digits"),
        ({"filesystem": "a-b"}, "filesystem 'a-b' is not valid"),
        ({"location": "us-central1-q"}, "location 'us-central1-q' is not valid; an instance is in a zone"),
        ({"location": "us-central1"}, "location 'us-central1' is not valid; an instance is in a zone"),
        ({"network": "projects/p/global/networks/gone"}, "networks/gone' was not found, NOT_FOUND"),
    ],
    ids=str,
)
def test_an_instance_that_cannot_be_is_refused(create: Create, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        lustre(create, **inputs)


def test_an_instance_needs_private_services_access_first(create: Create) -> None:
    create("compute/network:Network", "n", name="n", autoCreateSubnetworks=False)
    with pytest.raises(CloudError, match=f"has no private services access: create its connection to {SERVICE} first"):
        lustre(create)


@pytest.mark.usefixtures("vpc")
@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("1530000", "1584000", "An instance of 1530000 GiB cannot grow beyond 1530000 GiB"),
        ("18000", "9000", "capacityGib cannot shrink from 18000 to 9000"),
        ("9000", "18000", None),
        ("1584000", "1656000", None),
    ],
)
def test_an_instance_grows_on_its_side_of_the_threshold(
    create: Create, account: GcpAccount, gcp: Callable[..., Resource], before: str, after: str, message: str | None
) -> None:
    made = lustre(create, perUnitStorageThroughput="1000", capacityGib=before)
    asked = gcp(LUSTRE, **{**made.inputs, "capacityGib": after})
    changed = replace(asked, id=made.id, old_inputs=made.inputs, outputs=made.outputs)
    if message is None:
        assert account.update(changed).id == made.id
    else:
        with pytest.raises(CloudError, match=message):
            account.update(changed)


@pytest.mark.parametrize("name", ["ab", "Data", "goog-data", "my-google-data", "-data", "data-", "d" * 64])
def test_a_bucket_name_that_is_not_allowed_is_refused(create: Create, name: str) -> None:
    with pytest.raises(CloudError, match=f"Invalid bucket name: '{name}'"):
        create("storage/bucket:Bucket", name=name, location="us-central1")


def test_a_bucket_is_made_once_in_the_world(create: Create) -> None:
    made = create("storage/bucket:Bucket", name="data.example.com", location="us-central1")
    assert (made.id, made.outputs["url"], made.outputs["location"]) == (
        "data.example.com",
        "gs://data.example.com",
        "US-CENTRAL1",
    )
    with pytest.raises(CloudError, match="you already own it"):
        create("storage/bucket:Bucket", "again", name="data.example.com", location="EU", project="other")


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "must use uniform bucket-level access"),
        ({"uniformBucketLevelAccess": True, "versioning": {"enabled": True}}, "versioning is not supported"),
    ],
    ids=str,
)
def test_folders_need_uniform_access(create: Create, inputs: dict[str, Any], message: str) -> None:
    folders = {"location": "us-central1", "hierarchicalNamespace": {"enabled": True}}
    create("storage/bucket:Bucket", "fine", uniformBucketLevelAccess=True, **folders)
    with pytest.raises(CloudError, match=message):
        create("storage/bucket:Bucket", "wrong", **folders, **inputs)


def test_a_grant_needs_its_bucket(create: Create) -> None:
    given = {"role": "roles/storage.objectViewer", "member": "allUsers"}
    with pytest.raises(CloudError, match="The specified bucket does not exist"):
        create("storage/bucketIAMMember:BucketIAMMember", bucket="gone", **given)
    bucket = create("storage/bucket:Bucket", "data", location="us-central1")
    made = create("storage/bucketIAMMember:BucketIAMMember", bucket=bucket.name, **given)
    assert made.id == f"b/{bucket.name}/roles/storage.objectViewer/allUsers"


@pytest.mark.usefixtures("vpc")
@pytest.mark.parametrize(
    ("tier", "location", "capacity", "message"),
    [
        ("ZONAL", "us-central1-a", 1024, None),
        ("ZONAL", "us-central1-a", 12800, None),
        ("ENTERPRISE", "us-central1", 1280, None),
        ("ZONAL", "us-central1-a", 1000, "valid: 1024 to 9984 GiB in steps of 256; 10240 to 102400"),
        ("ENTERPRISE", "us-central1", 20480, "valid: 1024 to 10240 GiB in steps of 256"),
        ("ZONAL", "us-central1", 1024, "location us-central1 is not valid for tier ZONAL; it is in a zone"),
        ("REGIONAL", "us-central1-a", 1024, "it is in a region, such as us-central1"),
    ],
)
def test_a_file_share_has_a_size_and_a_place_of_its_tier(
    create: Create, tier: str, location: str, capacity: int, message: str | None
) -> None:
    given = {
        "tier": tier,
        "location": location,
        "fileShares": {"name": "home", "capacityGb": capacity},
        "networks": [{"network": "n", "modes": ["MODE_IPV4"]}],
    }
    if message is None:
        assert create("filestore/instance:Instance", **given).outputs["networks"][0]["ipAddresses"]
    else:
        with pytest.raises(CloudError, match=message):
            create("filestore/instance:Instance", **given)
