"""Ranges that examples use, in a spec that is about to be built."""

from __future__ import annotations

import pytest

from gpucluster.components.shared.network import report_examples
from gpucluster.components.spec.access import PrivateAccess, PublicAccess
from tests.components.told import reports


@pytest.mark.parametrize(
    ("cidrs", "expected"),
    [
        (("8.8.8.0/24",), []),
        (
            ("198.51.100.7/32",),
            [
                "access.cidrs: 198.51.100.7/32 is an example range: the API cannot be reached; write the range of your "
                "office or VPN before up"
            ],
        ),
        (
            ("192.0.2.0/24", "8.8.8.0/24", "203.0.113.128/25"),
            [
                "access.cidrs: 192.0.2.0/24, 203.0.113.128/25 are example ranges: the API cannot be reached "
                "from there; write the range of your office or VPN before up"
            ],
        ),
    ],
)
def test_an_example_range_is_noted(cidrs: tuple[str, ...], expected: list[str]) -> None:
    planning = reports()
    report_examples(PublicAccess(kind="public", cidrs=cidrs), planning)
    assert planning.before_up == expected


@pytest.mark.parametrize("cidrs", [("8.8.8.0/24",), ("192.0.2.0/24", "8.8.8.0/24")])
def test_a_range_of_somebody_is_enough_for_an_update(cidrs: tuple[str, ...]) -> None:
    assert report_examples(PublicAccess(kind="public", cidrs=cidrs), reports()) is None


def test_example_ranges_alone_end_an_update() -> None:
    public = PublicAccess(kind="public", cidrs=("192.0.2.0/24", "203.0.113.0/24"))
    assert report_examples(public, reports()) == (
        "access.cidrs: 192.0.2.0/24, 203.0.113.0/24 are example ranges: the API cannot be reached, so an update would "
        "create and bill resources and then fail; write the range of your office or VPN"
    )


def test_a_private_api_has_ranges_of_its_own() -> None:
    private, planning = PrivateAccess(kind="private", via="vpn", cidrs=("192.0.2.0/24",)), reports()
    assert (report_examples(private, planning), planning.before_up) == (None, [])
