"""Routes to a private API: those of every cloud, and those of a single cloud. Imports no Pulumi."""

from __future__ import annotations

from typing import Any

from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.access import PrivateAccess, PublicAccess


def way_in(access: PrivateAccess, cidr: str) -> str:
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
        fix = "remove it, and peer the network after the first step of `up` (docs/access.md)"
        planning.refuse("access.peer", "is set, but is supported on Azure only", fix)
