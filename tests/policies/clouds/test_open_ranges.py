"""Which ranges count as the whole internet."""

from __future__ import annotations

from gpucluster.policies.clouds.open_ranges import everywhere
from tests.cases import cases


@cases
def test_a_32nd_of_the_public_addresses_is_everywhere(ranges: list[str], found: list[str]) -> None:
    assert everywhere(ranges) == found
