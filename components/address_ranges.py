"""What every cloud's address plan must keep to: ranges that are private and do not overlap. Imports no Pulumi."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence

from gpucluster.components.problem import Problem

__all__ = ["peer_problems", "range_problems"]

Ranges = Mapping[str, ipaddress.IPv4Network]

# Narrower than what Python calls private. Source: RFC 1918.
_PRIVATE = tuple(map(ipaddress.IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))


def range_problems(ranges: Ranges) -> list[Problem]:
    """Ranges, by what they are for, that are public or overlap."""
    names = list(ranges)
    problems = [
        Problem("", f"the range of {name}, {network}, is not private")
        for name, network in ranges.items()
        if not any(network.subnet_of(block) for block in _PRIVATE)
    ]
    problems += [
        Problem("", f"the ranges of {one} ({ranges[one]}) and {other} ({ranges[other]}) overlap")
        for index, one in enumerate(names)
        for other in names[index + 1 :]
        if ranges[one].overlaps(ranges[other])
    ]
    return problems


def peer_problems(ranges: Ranges, peers: Sequence[str]) -> list[Problem]:
    """Ranges at the other end of a VPN, as in access.cidrs, that the cluster's own overlap."""
    return [
        Problem(
            "access.cidrs",
            f"has {peer}, which overlaps the cluster's {name} ({network}): nothing could be routed to both",
            "name ranges outside of it",
        )
        for peer in peers
        for name, network in ranges.items()
        if network.overlaps(ipaddress.IPv4Network(peer))
    ]
