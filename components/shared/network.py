"""Routes to a private API, and ranges of examples that make a public one unreachable. Imports no Pulumi."""

from __future__ import annotations

import ipaddress
from typing import Any

from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.access import PrivateAccess, PublicAccess


def access_route(access: PrivateAccess, cidr: str) -> str:
    """How users reach the API, on every cloud, in prose. cidr: of the network."""
    return {
        "vpn": f"through your VPN or peering from {', '.join(access.cidrs)}",
        "bastion": f"through a bastion host in the network ({cidr})",
        "inside": f"from machines in the network ({cidr})",
    }.get(access.via or "", "from the nodes only")


def refuse_dns(access: PublicAccess | PrivateAccess, service: str, planning: Planning[Any]) -> None:
    """Access by a DNS name that checks permissions, not addresses. service: name of the Kubernetes service."""
    if isinstance(access, PrivateAccess) and access.via == "dns":
        fix = f"for {service} choose vpn, bastion or inside"
        planning.refuse("access.via", "is 'dns', which only Google Cloud supports", fix)


def refuse_peer(access: PublicAccess | PrivateAccess, planning: Planning[Any]) -> None:
    """A network to peer with by its id."""
    if isinstance(access, PrivateAccess) and access.peer is not None:
        fix = "remove it, and peer the network after the first step of `up` (docs/run/access.md)"
        planning.refuse("access.peer", "is set, but is supported on Azure only", fix)


# Reserved for documentation: no machine on the internet has such an address. Source: RFC 5737.
_EXAMPLES = tuple(map(ipaddress.IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")))


def _examples(access: PublicAccess | PrivateAccess) -> list[str]:
    if isinstance(access, PrivateAccess):
        return []
    return [text for text in access.cidrs if any(ipaddress.IPv4Network(text).subnet_of(kept) for kept in _EXAMPLES)]


def report_examples(access: PublicAccess | PrivateAccess, planning: Planning[Any]) -> str | None:
    """Notes that ranges of a public API are examples. Returns why an update would build and bill a cluster that it
    can't reach, if every range is one.
    """
    found = _examples(access)
    if not found:
        return None
    what = "is an example range" if len(found) == 1 else "are example ranges"
    seen, fix = f"access.cidrs: {', '.join(found)} {what}", "write the range of your office or VPN"
    if len(found) < len(access.cidrs):
        planning.before_up.append(f"{seen}: the API cannot be reached from there; {fix} before up")
        return None
    planning.before_up.append(f"{seen}: the API cannot be reached; {fix} before up")
    return f"{seen}: the API cannot be reached, so an update would create and bill resources and then fail; {fix}"
