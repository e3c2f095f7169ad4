"""The region of what exists, by what its cloud answered."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.core.catalog.resource_types import region_of_outputs
from gpucluster.core.program.resources import UNKNOWN


@pytest.mark.parametrize(
    ("package", "outputs", "region"),
    [
        ("aws", {"region": "eu-west-1", "arn": "arn:aws:ec2:us-east-1:1:vpc/v"}, "eu-west-1"),
        ("aws", {"arn": "arn:aws-us-gov:ec2:us-gov-west-1:1:vpc/v"}, "us-gov-west-1"),
        ("aws", {"arn": "arn:aws:iam::1:role/r"}, None),
        ("aws", {"availabilityZone": "ap-northeast-1c"}, "ap-northeast-1"),
        ("aws", {"availabilityZone": "us-east-1-atl-2a"}, "us-east-1"),
        ("gcp", {"zone": "us-central1-a"}, "us-central1"),
        ("gcp", {"region": "https://www.googleapis.com/compute/v1/projects/p/regions/europe-west4"}, "europe-west4"),
        ("gcp", {"location": "US", "selfLink": "https://www.googleapis.com/storage/v1/b/x"}, None),
        ("gcp", {"selfLink": "https://x/projects/p/zones/us-south1-ai1b/instances/i"}, "us-south1"),
        ("azure-native", {"location": "East US 2"}, "East US 2"),
        ("azure-native", {"location": "Global"}, None),
        ("kubernetes", {"region": "us-east-1"}, None),
        ("aws", {"region": UNKNOWN, "arn": 3}, None),
    ],
)
def test_the_region_is_read_from_the_outputs_of_each_cloud(
    package: str, outputs: dict[str, Any], region: str | None
) -> None:
    assert region_of_outputs(package, outputs) == region
