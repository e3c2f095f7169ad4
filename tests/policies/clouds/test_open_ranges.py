"""Which ranges count as the whole internet."""

from __future__ import annotations

import pytest

from gpucluster.policies.clouds.open_ranges import everywhere

EIGHT = [f"{first}.0.0.0/8" for first in range(20, 36, 2)]


@pytest.mark.parametrize(
    ("ranges", "found"),
    [
        (["0.0.0.0/0", "203.0.113.0/24"], ["0.0.0.0/0"]),
        (["64.0.0.0/5"], ["64.0.0.0/5"]),
        (["64.0.0.0/6"], []),
        (EIGHT, EIGHT),
        (EIGHT[1:], []),
        ([EIGHT[0], *EIGHT[:7]], []),
        (["::/0"], ["::/0"]),
        (["2000::/8"], ["2000::/8"]),
        (["2000::/9"], []),
        (["4000::/3"], []),  # public to nobody
        (["fd00::/8", "10.0.0.0/8", "text", None], []),
    ],
)
def test_a_32nd_of_the_public_addresses_is_everywhere(ranges: list[str], found: list[str]) -> None:
    assert everywhere(ranges) == found
