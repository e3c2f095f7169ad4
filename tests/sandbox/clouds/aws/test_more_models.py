"""What AWS makes of types that no trial has."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry

Create = Callable[..., Entry]
ARN = "arn:aws:{}:us-east-1:000000000000:"


@pytest.mark.parametrize(
    ("token", "inputs", "id_", "outputs"),
    [
        (
            "iam/instanceProfile:InstanceProfile",
            {"name": "p", "path": "/nodes/"},
            "p",
            {
                "arn": "arn:aws:iam::000000000000:instance-profile/nodes/p",
                "path": "/nodes/",
                "uniqueId": "AIPA[0-9A-F]{17}",
            },
        ),
        ("s3/bucketPublicAccessBlock:BucketPublicAccessBlock", {"bucket": "data"}, "data", {}),
        (
            "ec2/placementGroup:PlacementGroup",
            {"name": "g", "strategy": "partition"},
            "g",
            {"partitionCount": 2, "spreadLevel": "", "placementGroupId": "pg-[0-9a-f]{17}"},
        ),
        (
            "ec2/placementGroup:PlacementGroup",
            {"name": "g", "strategy": "partition", "partitionCount": 4},
            "g",
            {"partitionCount": 4},
        ),
        (
            "ec2/placementGroup:PlacementGroup",
            {"name": "g", "strategy": "spread"},
            "g",
            {"partitionCount": 0, "spreadLevel": "rack"},
        ),
        (
            "ec2/capacityReservation:CapacityReservation",
            {
                "availabilityZone": "us-east-1a",
                "instanceType": "p5.48xlarge",
                "instanceCount": 2,
                "instancePlatform": "Linux/UNIX",
            },
            "cr-[0-9a-f]{17}",
            {
                "arn": ARN.format("ec2") + "capacity-reservation/cr-[0-9a-f]{17}",
                "tenancy": "default",
                "endDateType": "unlimited",
            },
        ),
    ],
)
def test_a_resource_has_its_id_and_what_aws_computes(
    create: Create, token: str, inputs: dict[str, Any], id_: str, outputs: dict[str, Any]
) -> None:
    made = create(token, **inputs)
    assert re.fullmatch(id_, made.id)
    for key, value in outputs.items():
        found = made.outputs[key]
        assert re.fullmatch(value, found) if isinstance(value, str) else found == value, (key, found)
