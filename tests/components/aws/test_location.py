"""Where a cluster stands."""

from __future__ import annotations

import pytest

from gpucluster.components.aws.location import Location, parse_location
from tests.components.told import told


@pytest.mark.parametrize(
    ("zone", "second_zone", "expected"),
    [
        ("us-east-1a", None, "us-east-1b"),
        ("us-east-1c", None, "us-east-1a"),
        ("us-east-1c", "us-east-1f", "us-east-1f"),
    ],
)
def test_the_control_plane_gets_a_second_zone(zone: str, second_zone: str | None, expected: str) -> None:
    found = parse_location(region="us-east-1", zone=zone, second_zone=second_zone)
    assert found == Location(region="us-east-1", zone=zone, second_zone=expected)


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
        ("us-east-1", "us-west-2a", None, ["zone is 'us-west-2a'; write a zone of us-east-1, such as us-east-1a"]),
        (
            "us-east-1",
            "us-east-1a",
            "us-east-1a",
            ["secondZone is 'us-east-1a', the zone of the GPU nodes; name another, EKS needs two"],
        ),
        (
            "us-east-1",
            "a",
            "b",
            [
                "zone is 'a'; write a zone of us-east-1, such as us-east-1a",
                "secondZone is 'b'; write a zone of us-east-1, such as us-east-1a",
            ],
        ),
    ],
)
def test_a_wrong_place_is_said(region: str, zone: str | None, second_zone: str | None, expected: list[str]) -> None:
    assert told(parse_location(region=region, zone=zone, second_zone=second_zone)) == expected
