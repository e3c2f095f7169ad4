"""Location of a cluster: zones of nodes and control plane, and the region's partition."""

from __future__ import annotations

import pytest
from pulumi_aws import Region

from gpucluster.components.aws.location import Location, addon_registry, ec2_principal, endpoint_service, partition
from gpucluster.core.catalog.aws_regions import aws_regions
from tests.components.told import told


@pytest.mark.parametrize(
    ("zone", "second_zone", "expected"),
    [
        ("us-east-1a", None, ("us-east-1a", "us-east-1b")),
        ("us-east-1c", None, ("us-east-1c", "us-east-1a")),
        ("us-east-1c", "us-east-1f", ("us-east-1c", "us-east-1f")),
        ("use1-az6", None, ("use1-az6", "use1-az1")),
        ("use1-az1", None, ("use1-az1", "use1-az2")),
        ("use1-az6", "use1-az4", ("use1-az6", "use1-az4")),
        # EKS takes no control plane there; nodes may stand there.
        ("use1-az3", None, ("use1-az1", "use1-az2")),
        ("use1-az3", "use1-az1", ("use1-az2", "use1-az1")),
        # Zones of the parent region.
        ("us-east-1-atl-2a", None, ("use1-az1", "use1-az2")),
        ("use1-atl2-az1", None, ("use1-az1", "use1-az2")),
        ("us-east-1-atl-2a", "use1-az5", ("use1-az1", "use1-az5")),
        ("us-east-1-atl-2a", "us-east-1a", ("us-east-1b", "us-east-1a")),
    ],
)
def test_the_control_plane_gets_two_zones_that_eks_takes(
    zone: str, second_zone: str | None, expected: tuple[str, str]
) -> None:
    assert Location(region="us-east-1", zone=zone, second_zone=second_zone).cluster_zones == expected


@pytest.mark.parametrize(
    ("region", "zone", "expected"),
    [
        ("us-west-1", "usw1-az1", ("usw1-az1", "usw1-az3")),
        ("us-west-1", "usw1-az2", ("usw1-az1", "usw1-az3")),
        ("ca-central-1", "cac1-az4", ("cac1-az4", "cac1-az1")),
        ("ca-central-1", "cac1-az3", ("cac1-az1", "cac1-az2")),
        ("us-gov-west-1", "usgw1-az2", ("usgw1-az2", "usgw1-az1")),
        ("cn-northwest-1", "cnnw1-az1", ("cnnw1-az1", "cnnw1-az2")),
    ],
)
def test_the_second_zone_by_id_is_never_one_that_eks_refuses(region: str, zone: str, expected: tuple[str, str]) -> None:
    assert Location(region=region, zone=zone).cluster_zones == expected


IDS = "use1-az1, use1-az2, use1-az3, use1-az4, use1-az5, use1-az6"
WRITE = f"write a zone of us-east-1, such as us-east-1a, or an id: {IDS}"


@pytest.mark.parametrize(
    ("region", "zone", "second_zone", "expected"),
    [
        (
            "us-esat-1",
            "us-esat-1a",
            None,
            ["region is 'us-esat-1'; write an AWS region such as us-east-1; did you mean us-east-1?"],
        ),
        ("moon-1", None, None, ["region is 'moon-1'; write an AWS region such as us-east-1"]),
        ("us-east-1", "us-west-2a", None, [f"zone is 'us-west-2a'; {WRITE}"]),
        ("us-east-1", "usw2-az1", None, [f"zone is 'usw2-az1'; {WRITE}"]),
        ("us-east-1", "use1-az7", None, [f"zone is 'use1-az7'; {WRITE}"]),
        ("us-east-1", "us-west-2-lax-1a", None, [f"zone is 'us-west-2-lax-1a'; {WRITE}"]),
        (
            "cn-northwest-1",
            "use1-az1",
            None,
            ["zone is 'use1-az1'; write a zone of cn-northwest-1, such as cn-northwest-1a, or an id such as cnnw1-az1"],
        ),
        (
            "us-east-1",
            "us-east-1a",
            "us-east-1a",
            ["secondZone is 'us-east-1a', the zone of the GPU nodes; write another zone: EKS needs two"],
        ),
        (
            "us-east-1",
            "use1-az6",
            "use1-az3",
            [
                "secondZone is 'use1-az3', where EKS places no control plane; choose one of use1-az1, use1-az2, "
                "use1-az4, use1-az5, use1-az6"
            ],
        ),
        (
            "us-west-2",
            "us-west-2a",
            "us-west-2-lax-1a",
            [
                "secondZone is 'us-west-2-lax-1a', where EKS places no control plane; choose one of usw2-az1, "
                "usw2-az2, usw2-az3, usw2-az4"
            ],
        ),
        (
            "us-east-1",
            "us-east-1a",
            "use1-az2",
            [
                "secondZone is 'use1-az2' and zone is 'us-east-1a': the id of a zone name differs between accounts; "
                "write both as names or both as ids"
            ],
        ),
        ("us-east-1", "a", "b", [f"zone is 'a'; {WRITE}", f"secondZone is 'b'; {WRITE}"]),
    ],
)
def test_a_wrong_place_is_said(region: str, zone: str | None, second_zone: str | None, expected: list[str]) -> None:
    values = {"region": region, "zone": zone, "secondZone": second_zone}
    assert told(Location.read({key: value for key, value in values.items() if value is not None})) == expected


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("us-east-1", ("aws", "ec2.amazonaws.com", "com.amazonaws.us-east-1.ecr.api")),
        ("us-gov-west-1", ("aws-us-gov", "ec2.amazonaws.com", "com.amazonaws.us-gov-west-1.ecr.api")),
        ("cn-north-1", ("aws-cn", "ec2.amazonaws.com.cn", "cn.com.amazonaws.cn-north-1.ecr.api")),
    ],
)
def test_names_follow_the_partition(region: str, expected: tuple[str, str, str]) -> None:
    assert (partition(region), ec2_principal(region), endpoint_service(region, "ecr.api")) == expected


def test_some_endpoints_in_china_have_the_usual_name() -> None:
    assert endpoint_service("cn-north-1", "logs") == "com.amazonaws.cn-north-1.logs"


def test_the_regions_are_those_of_the_sdk_in_the_partitions_known() -> None:
    known = [region.value for region in Region if "iso" not in region.value and not region.value.startswith("eusc")]
    assert sorted(aws_regions()) == sorted(known)


def test_govcloud_has_a_registry_of_its_own() -> None:
    found = {region: addon_registry(region) for region in ("us-east-1", "us-gov-west-1", "us-gov-east-1")}
    assert found == {
        "us-east-1": None,
        "us-gov-west-1": "013241004608.dkr.ecr.us-gov-west-1.amazonaws.com",
        "us-gov-east-1": "151742754352.dkr.ecr.us-gov-east-1.amazonaws.com",
    }
