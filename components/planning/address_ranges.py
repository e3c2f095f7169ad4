"""Checks of every cloud's address plan: ranges are private and do not overlap. Imports no Pulumi."""

from __future__ import annotations

import functools
import ipaddress
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from gpucluster.components.planning.planning import Planning

Ranges = Mapping[str, ipaddress.IPv4Network]

# Narrower than Python's is_private. Source: RFC 1918.
_PRIVATE = tuple(map(ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))


def is_range(text: str) -> bool:
    """Whether it is an IPv4 range without host bits, such as 10.30.0.0/20."""
    try:
        ipaddress.IPv4Network(text)
    except ValueError:
        return False
    return "/" in text


def is_private(network: ipaddress.IPv4Network) -> bool:
    """Whether it is inside the private ranges, which the internet does not route."""
    return any(network.subnet_of(block) for block in _PRIVATE)


@functools.cache
def sixteenth(cidr: str, index: int) -> str:
    """One of the 16 equal parts of a range."""
    network = ipaddress.IPv4Network(cidr)
    size = network.num_addresses // 16
    return f"{network.network_address + index * size}/{network.prefixlen + 4}"


def refuse_ranges(ranges: Ranges, planning: Planning[Any]) -> None:
    """Public or overlapping ranges, named by their use."""
    for name, network in ranges.items():
        if not is_private(network):
            planning.refuse("", f"the range of {name}, {network}, is not private")
    for one, other in itertools.combinations(ranges, 2):
        if ranges[one].overlaps(ranges[other]):
            seen = f"has {one} ({ranges[one]}) and {other} ({ranges[other]}), which overlap"
            planning.refuse("network.ranges", seen, "write others")


def refuse_peers(ranges: Ranges, peers: Sequence[str], planning: Planning[Any]) -> None:
    """Ranges at the other end of a VPN, as in access.cidrs, that the cluster's own overlap."""
    for peer in peers:
        for name, network in ranges.items():
            if network.overlaps(ipaddress.IPv4Network(peer)):
                planning.refuse(
                    "access.cidrs",
                    f"has {peer}, which overlaps the cluster's {name} ({network}): traffic cannot be routed to both",
                    "write ranges outside of it",
                )
