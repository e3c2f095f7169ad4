"""Clouds whose clusters have no name that asks for rights and for no address. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.problem import Problem
from gpucluster.components.spec import PrivateAccess, PublicAccess

__all__ = ["dns_problems"]


def dns_problems(access: PublicAccess | PrivateAccess, service: str) -> list[Problem]:
    """service: of the cloud's clusters, by its name."""
    if isinstance(access, PublicAccess) or access.via != "dns":
        return []
    return [Problem("access.via", "is 'dns', which is Google Cloud's", f"for {service} choose vpn, bastion or inside")]
