"""Who reaches the cluster's API and what the network reaches outside, as plain values. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpucluster.components.azure.arm import UUID
from gpucluster.components.dns_endpoint import dns_problems
from gpucluster.components.problem import Problem
from gpucluster.components.spec import PrivateAccess, PublicAccess

__all__ = ["CLUSTER_ADMIN", "AccessPlan", "access_notes", "access_problems", "plan_access"]

# One of them is the nodes' own way out. Source: AKS documentation, "Secure access to the API server using authorized IP
# address ranges".
_MOST_RANGES = 200 - 1

CLUSTER_ADMIN = "Azure Kubernetes Service RBAC Cluster Admin"
"""The built-in role with all rights inside a cluster."""


@dataclass(frozen=True, kw_only=True)
class AccessPlan:
    """private: the API has no address on the internet; who has a way into the network reaches it.

    client_cidrs: ranges of the internet that reach it. admins: object ids of the Microsoft Entra groups whose members
    have all rights in the cluster. summary: all that in one line, for people.
    """

    private: bool
    client_cidrs: tuple[str, ...]
    admins: tuple[str, ...]
    summary: str


def plan_access(access: PublicAccess | PrivateAccess, *, network_cidr: str) -> AccessPlan:
    """The access of a cluster in a network of this range."""
    if isinstance(access, PublicAccess):
        return AccessPlan(
            private=False,
            client_cidrs=access.cidrs,
            admins=access.admins,
            summary=f"over the internet from {', '.join(access.cidrs)}, and from the nodes; {_rights(access.admins)}",
        )
    through = {
        "vpn": f"through your VPN or peering from {', '.join(access.cidrs)}",
        "bastion": f"through a bastion host in the network ({network_cidr})",
        "inside": f"from machines in the network ({network_cidr})",
    }.get(access.via or "", "from the nodes alone")
    return AccessPlan(
        private=True,
        client_cidrs=(),
        admins=access.admins,
        summary=f"inside only, {through}; {_rights(access.admins)}; internet by NAT",
    )


def access_problems(access: PublicAccess | PrivateAccess) -> list[Problem]:
    """What Azure can't make of the spec's access."""
    problems = dns_problems(access, "AKS")
    if isinstance(access, PublicAccess) and len(access.cidrs) > _MOST_RANGES:
        problems.append(
            Problem(
                "access.cidrs",
                f"has {len(access.cidrs)} ranges",
                f"AKS takes {_MOST_RANGES} beside the nodes' own: join or drop some",
            )
        )
    if isinstance(access, PrivateAccess) and access.egress == "none":
        problems.append(
            Problem(
                "access.egress",
                "is 'none', which on Azure is not built: nodes without a way out start from a container "
                "registry of their own network",
                "choose nat",
            )
        )
    problems += [
        Problem(
            f"access.admins[{at}]",
            f"is {group!r}",
            "on Azure name a Microsoft Entra group by its object id, such as "
            "00000000-0000-0000-0000-000000000000 (`az ad group show --group NAME --query id`)",
        )
        for at, group in enumerate(access.admins)
        if not UUID.match(group)
    ]
    return problems


def access_notes(access: PublicAccess | PrivateAccess) -> list[str]:
    """What whoever runs up needs and gets: the cluster knows Microsoft Entra only, and no password or certificate."""
    others = "is in a group of access.admins" if access.admins else "needs a group in access.admins, which names none"
    return [
        f"whoever runs up needs the right to assign roles, and gets {CLUSTER_ADMIN} on this cluster alone, for which "
        f"up waits 5 minutes; whoever else previews, destroys or uses the cluster {others}"
    ]


def _rights(admins: Sequence[str]) -> str:
    groups = "".join(f", group {group}" for group in admins)
    return f"admins: whoever ran up last or holds {CLUSTER_ADMIN}{groups}"
