"""Says where a spec still opens the cluster's API to the ranges that examples use. Imports no Pulumi."""

from __future__ import annotations

import ipaddress

from gpucluster.components.spec import PrivateAccess, PublicAccess

__all__ = ["example_range_notes"]

# Kept for documentation: no machine on the internet has an address of these. Source: RFC 5737.
_EXAMPLES = tuple(map(ipaddress.IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")))


def example_range_notes(access: PublicAccess | PrivateAccess) -> list[str]:
    """A note where ranges of a public API are examples."""
    if isinstance(access, PrivateAccess):
        return []
    found = [text for text in access.cidrs if any(ipaddress.IPv4Network(text).subnet_of(kept) for kept in _EXAMPLES)]
    if not found:
        return []
    who = "nobody can reach the API" if len(found) == len(access.cidrs) else "nobody can reach the API from there"
    what = "is an example range" if len(found) == 1 else "are example ranges"
    return [f"access.cidrs: {', '.join(found)} {what}: {who}; write the range of your office or VPN before up"]
