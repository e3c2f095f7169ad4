"""Identifiers of the simulated account: obviously fake, in the form the real APIs give them."""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.naming import random_hex

__all__ = ["ACCOUNT", "DOMAIN", "arn", "hex_id", "zone_ids"]

ACCOUNT: Final = "000000000000"
"""No real AWS account has this number."""

DOMAIN: Final = "sandbox.invalid"
"""Top-level domain `invalid` never resolves (RFC 2606)."""

# The letters AWS uses for availability zone ids of a region, e.g. use1-az1 in us-east-1
# (EC2 user guide, "Availability Zone IDs").
_AREAS: Final = {
    "north": "n", "south": "s", "east": "e", "west": "w", "central": "c", "northeast": "ne", "southeast": "se",
    "northwest": "nw", "southwest": "sw",
}  # fmt: skip


def hex_id(prefix: str) -> str:
    """An EC2-style id: prefix and 17 hexadecimal digits."""
    return f"{prefix}-{random_hex(17)}"


def arn(service: str, region: str, path: str) -> str:
    """An ARN in the simulated account; region is empty for global services."""
    return f"arn:aws:{service}:{region}:{ACCOUNT}:{path}"


def zone_ids(region: str) -> dict[str, str]:
    """Zone name -> zone id of the first six zones; in this account letter and number run in step."""
    *area, direction, number = region.split("-")
    short = "".join(area) + _AREAS.get(direction, direction) + number
    return {f"{region}{letter}": f"{short}-az{index}" for index, letter in enumerate("abcdef", start=1)}
