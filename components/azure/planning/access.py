"""Access to the cluster's API, and egress of its network, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpucluster.components.azure.arm import UUID
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.network_plan import AddressPlan
from gpucluster.components.azure.planning.rights import ASSIGN, TAKE_BACK, rights_question
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.network import access_route, refuse_dns, report_examples
from gpucluster.components.spec.access import Access, PublicAccess

# One of them is the nodes' own egress address. Source: AKS documentation, "Secure access to the API server using
# authorized IP address ranges".
_MOST_RANGES = 200 - 1

CLUSTER_ADMIN = "Azure Kubernetes Service RBAC Cluster Admin"
"""The built-in role with all permissions inside a cluster."""


@dataclass(frozen=True, kw_only=True)
class AccessPlan:
    """private: the API has no public address; only clients in the network, or connected to it, reach it.

    client_cidrs: ranges of the internet that reach it. admins: object ids of the Microsoft Entra groups whose members
    have all permissions in the cluster. peer: id of a network to peer with. only_examples: why the API is unreachable,
    which stops an update. peer_gateway: networks behind its gateway reach the cluster, too.
    summary: all of the above in one line, to print.
    """

    private: bool
    client_cidrs: tuple[str, ...]
    admins: tuple[str, ...]
    summary: str
    peer: str | None = None
    peer_gateway: bool = False
    only_examples: str | None = None


def plan_access(access: Access, planning: Planning[Location], *, network: AddressPlan) -> AccessPlan:
    """The access of a cluster in a network."""
    refuse_dns(access, "AKS", planning)
    refuse_people({f"access.admins[{at}]": group for at, group in enumerate(access.admins)}, planning)
    examples = report_examples(access, planning)
    others = (
        ("must be in a group of access.admins") if access.admins else "need a group in access.admins, which is empty"
    )
    note = (
        f"the identity that runs `pulumi up` needs the right to assign roles, and gets {CLUSTER_ADMIN} on this cluster "
        f"only, for which `up` waits 5 minutes; others who preview, destroy or use the cluster {others}"
    )
    subscription = f"/subscriptions/{planning.location.subscription}"
    planning.ask(rights_question("assign roles", subscription, ASSIGN, TAKE_BACK, note=note))
    if isinstance(access, PublicAccess):
        if len(access.cidrs) > _MOST_RANGES:
            planning.refuse(
                "access.cidrs",
                f"has {len(access.cidrs)} ranges",
                f"AKS allows {_MOST_RANGES} besides the range of the nodes: merge or remove some",
            )
        return AccessPlan(
            private=False,
            client_cidrs=access.cidrs,
            admins=access.admins,
            only_examples=examples,
            summary=f"over the internet from {', '.join(access.cidrs)}, and from the nodes; {_rights(access.admins)}",
        )
    if access.egress == "none":
        planning.refuse(
            "access.egress",
            "is 'none', which is not supported on Azure: nodes without internet access need a container registry in "
            "their network to start",
            "choose nat",
        )
    return AccessPlan(
        private=True,
        client_cidrs=(),
        admins=access.admins,
        peer=access.peer,
        peer_gateway=access.peer_gateway,
        summary=f"inside only, {access_route(access, network.network)}; {_rights(access.admins)}; internet by "
        f"{'your routes' if network.routed else 'NAT'}",
    )


def refuse_people(people: Mapping[str, str], planning: Planning[Location]) -> None:
    """Groups that AKS can't identify, by their field."""
    for field, group in people.items():
        if not re.fullmatch(UUID, group):
            fix = (
                "on Azure write the object id of a Microsoft Entra group, such as 00000000-0000-0000-0000-000000000000 "
                "(`az ad group show --group NAME --query id`)"
            )
            planning.refuse(field, f"is {group!r}", fix)


def _rights(admins: Sequence[str]) -> str:
    groups = "".join(f", group {group}" for group in admins)
    return f"admins: the identity that last ran `pulumi up`, and identities with {CLUSTER_ADMIN}{groups}"
