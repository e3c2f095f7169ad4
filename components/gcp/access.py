"""Who reaches the cluster's API and what the network reaches outside, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpucluster.components.problem import Problem
from gpucluster.components.spec import PrivateAccess, PublicAccess

__all__ = ["AccessPlan", "access_problems", "plan_access"]

# Kubernetes knows a user or a service account by its address; a group only in a domain with Google Groups for RBAC.
_PRINCIPAL = re.compile(r"^(user|serviceAccount):[^@\s:]+@[^@\s:]+\.[^@\s:.]+$")


@dataclass(frozen=True, kw_only=True)
class AccessPlan:
    """private: the API has no address on the internet. client_cidrs: ranges that reach it, besides the nodes.

    dns: its DNS name answers from anywhere whoever has the right to connect, which no list of ranges narrows; else it
    is closed to the outside.
    admins: IAM principals with all rights in the cluster, besides who makes it.
    nat: whether nodes have a way out to the internet. registry: mirror that images outside Google's registries come
    from. summary: all that in one line, for people.
    """

    private: bool
    dns: bool
    client_cidrs: tuple[str, ...]
    admins: tuple[str, ...]
    nat: bool
    registry: str | None
    summary: str


def plan_access(access: PublicAccess | PrivateAccess, *, nodes_cidr: str) -> AccessPlan:
    """The access of a cluster whose nodes have addresses in this range."""
    if isinstance(access, PublicAccess):
        return AccessPlan(
            private=False,
            dns=False,
            client_cidrs=access.cidrs,
            admins=access.admins,
            nat=True,
            registry=None,
            summary=f"over the internet from {', '.join(access.cidrs)}, and from the nodes; {_rights(access.admins)}",
        )
    clients = access.cidrs if access.via == "vpn" else (nodes_cidr,)
    through = {
        "vpn": f"through your VPN or peering from {', '.join(clients)}",
        "bastion": f"through a bastion host in the network ({nodes_cidr})",
        "inside": f"from machines in the network ({nodes_cidr})",
        "dns": "by its DNS name from anywhere with the IAM right container.clusters.connect",
    }.get(access.via or "", "from the nodes alone")
    out = "internet by NAT" if access.egress == "nat" else "no internet"
    return AccessPlan(
        private=True,
        dns=access.via == "dns",
        client_cidrs=clients,
        admins=access.admins,
        nat=access.egress == "nat",
        registry=access.registry,
        summary=f"{'no address' if access.via == 'dns' else 'inside only'}, {through}; {_rights(access.admins)}; {out}",
    )


def access_problems(access: PublicAccess | PrivateAccess) -> list[Problem]:
    """What Google Cloud can't make of the spec's access."""
    return [
        Problem(
            f"access.admins[{at}]",
            f"is {principal!r}",
            "on Google Cloud name a person or a service account, such as user:ada@example.com or "
            "serviceAccount:deploy@my-project.iam.gserviceaccount.com",
        )
        for at, principal in enumerate(access.admins)
        if not _PRINCIPAL.match(principal)
    ]


def _rights(admins: Sequence[str]) -> str:
    others = "".join(f", {principal}" for principal in admins)
    return f"admins: whoever holds roles/container.admin in the project{others}"
