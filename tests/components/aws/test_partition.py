"""What a region's partition changes."""

from __future__ import annotations

import pytest
from pulumi_aws import Region

from gpucluster.components.aws.partition import addon_registry, ec2_principal, endpoint_service, partition
from gpucluster.core.catalog.aws_regions import aws_regions


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
