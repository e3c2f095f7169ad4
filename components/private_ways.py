"""Ways to a private API that one cloud has and others have not. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.problem import Problem
from gpucluster.components.spec.access import PrivateAccess, PublicAccess


def dns_problems(access: PublicAccess | PrivateAccess, service: str) -> list[Problem]:
    """A cluster's name that asks for rights and for no address. service: of the cloud's clusters, by its name."""
    if isinstance(access, PublicAccess) or access.via != "dns":
        return []
    return [Problem("access.via", "is 'dns', which is Google Cloud's", f"for {service} choose vpn, bastion or inside")]


def no_peer(access: PublicAccess | PrivateAccess) -> list[Problem]:
    """A network that is peered by its id."""
    if isinstance(access, PublicAccess) or access.peer is None:
        return []
    fix = "leave it out, and peer the network after the first step of up (docs/access.md)"
    return [Problem("access.peer", "is set, which is built on Azure alone", fix)]
