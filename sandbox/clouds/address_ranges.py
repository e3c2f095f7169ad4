"""IPv4 ranges in the inputs of networks."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network
from typing import Any


def ipv4_range(block: Any) -> IPv4Network | None:
    """A range in the form that the APIs accept, without host bits; None for anything else."""
    try:
        return IPv4Network(str(block))
    except ValueError:
        return None


def ipv4_ranges(blocks: Iterable[Any]) -> list[IPv4Network]:
    """Those of the blocks that are IPv4 ranges."""
    return [found for block in blocks if (found := ipv4_range(block)) is not None]


def first_overlap(some: Iterable[IPv4Network], others: Iterable[IPv4Network]) -> tuple[IPv4Network, IPv4Network] | None:
    """The first pair of ranges that share an address."""
    around = list(others)
    return next(((one, other) for one in some for other in around if one.overlaps(other)), None)
