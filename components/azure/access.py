"""Access to the cluster's API, and egress of its network, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpucluster.components.azure.arm import UUID
from gpucluster.components.example_ranges import only_examples
from gpucluster.components.private_ways import dns_problems, way_in
from gpucluster.components.problem import Problem
from gpucluster.components.spec.access import PrivateAccess, PublicAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.teams import named_people
from gpucluster.record import record

# One of them is the nodes' own egress address. Source: AKS documentation, "Secure access to the API server using
# authorized IP address ranges".
_MOST_RANGES = 200 - 1

CLUSTER_ADMIN = "Azure Kubernetes Service RBAC Cluster Admin"
"""The built-in role with all permissions inside a cluster."""


@record(kw_only=True)
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


def plan_access(access: PublicAccess | PrivateAccess, *, network_cidr: str, routed: bool) -> AccessPlan:
    """The access of a cluster in a network of this range. routed: by whose routes nodes reach the internet."""
    if isinstance(access, PublicAccess):
        return AccessPlan(
            private=False,
            client_cidrs=access.cidrs,
            admins=access.admins,
            only_examples=only_examples(access),
            summary=f"over the internet from {', '.join(access.cidrs)}, and from the nodes; {_rights(access.admins)}",
        )
    return AccessPlan(
        private=True,
        client_cidrs=(),
        admins=access.admins,
        peer=access.peer,
        peer_gateway=access.peer_gateway,
        summary=f"inside only, {way_in(access, network_cidr)}; {_rights(access.admins)}; internet by "
        f"{'your routes' if routed else 'NAT'}",
    )


def access_problems(access: PublicAccess | PrivateAccess) -> list[Problem]:
    """Parts of the spec's access that Azure does not support."""
    problems = dns_problems(access, "AKS")
    if isinstance(access, PublicAccess) and len(access.cidrs) > _MOST_RANGES:
        problems.append(
            Problem(
                "access.cidrs",
                f"has {len(access.cidrs)} ranges",
                f"AKS allows {_MOST_RANGES} besides the range of the nodes: merge or remove some",
            )
        )
    if isinstance(access, PrivateAccess) and access.egress == "none":
        problems.append(
            Problem(
                "access.egress",
                "is 'none', which is not supported on Azure: nodes without internet access need a container registry "
                "in their network to start",
                "choose nat",
            )
        )
    return problems + [
        problem for at, group in enumerate(access.admins) for problem in _group_problems(f"access.admins[{at}]", group)
    ]


def people_problems(spec: ClusterSpec) -> list[Problem]:
    """Submitters of jobs that AKS can't identify."""
    return [problem for field, group in named_people(spec) for problem in _group_problems(field, group)]


def _group_problems(field: str, group: str) -> list[Problem]:
    if re.fullmatch(UUID, group):
        return []
    fix = (
        "on Azure write the object id of a Microsoft Entra group, such as 00000000-0000-0000-0000-000000000000 (`az ad "
        "group show --group NAME --query id`)"
    )
    return [Problem(field, f"is {group!r}", fix)]


def access_notes(access: PublicAccess | PrivateAccess) -> list[str]:
    """Permissions that the identity that runs `up` needs and gets: the cluster accepts only Microsoft Entra logins."""
    others = (
        ("must be in a group of access.admins") if access.admins else "need a group in access.admins, which is empty"
    )
    return [
        f"the identity that runs `pulumi up` needs the right to assign roles, and gets {CLUSTER_ADMIN} on this cluster "
        f"only, for which `up` waits 5 minutes; others who preview, destroy or use the cluster {others}"
    ]


def _rights(admins: Sequence[str]) -> str:
    groups = "".join(f", group {group}" for group in admins)
    return f"admins: the identity that last ran `pulumi up`, and identities with {CLUSTER_ADMIN}{groups}"
