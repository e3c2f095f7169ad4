"""Access to the cluster's API, and egress of its network, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpucluster.components.example_ranges import only_examples
from gpucluster.components.private_ways import no_peer, way_in
from gpucluster.components.problem import Problem
from gpucluster.components.spec.access import PrivateAccess, PublicAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.teams import named_people
from gpucluster.record import record

_ADDRESS = r"[^@\s:]+@[^@\s:]+\.[^@\s:.]+"
# Only single principals may be admins: otherwise anybody who manages a group could add admins.
_PRINCIPAL = rf"^(user|serviceAccount):{_ADDRESS}$"
_SUBMITTER = rf"^(group|user|serviceAccount):{_ADDRESS}$"
_GROUP = "group:"


@record(kw_only=True)
class AccessPlan:
    """private: the API has no address on the internet. client_cidrs: ranges that reach it, in addition to the nodes.

    dns: its DNS name is reachable from anywhere by identities with the permission to connect, whatever their address;
    else it is closed to external traffic.
    admins: IAM principals with all permissions in the cluster, in addition to its creator.
    nat: whether nodes have a route to the internet. registry: mirror for images from outside Google's registries.
    only_examples: why the API is unreachable, which stops an update.
    summary: all of the above in one line, to print.
    """

    private: bool
    dns: bool
    client_cidrs: tuple[str, ...]
    admins: tuple[str, ...]
    nat: bool
    registry: str | None
    summary: str
    only_examples: str | None = None


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
            only_examples=only_examples(access),
            summary=f"over the internet from {', '.join(access.cidrs)}, and from the nodes; {_rights(access.admins)}",
        )
    clients = access.cidrs if access.via == "vpn" else (nodes_cidr,)
    by_name = "by its DNS name only, from anywhere with the IAM permission container.clusters.connect"
    through = by_name if access.via == "dns" else f"inside only, {way_in(access, nodes_cidr)}"
    out = "internet by NAT" if access.egress == "nat" else "no internet"
    return AccessPlan(
        private=True,
        dns=access.via == "dns",
        client_cidrs=clients,
        admins=access.admins,
        nat=access.egress == "nat",
        registry=access.registry,
        summary=f"{through}; {_rights(access.admins)}; {out}",
    )


def access_problems(access: PublicAccess | PrivateAccess) -> list[Problem]:
    """Parts of the spec's access that Google Cloud does not support."""
    return no_peer(access) + [
        Problem(
            f"access.admins[{at}]",
            f"is {principal!r}",
            "on Google Cloud write a person or a service account, such as user:ada@example.com or "
            "serviceAccount:deploy@my-project.iam.gserviceaccount.com",
        )
        for at, principal in enumerate(access.admins)
        if not re.fullmatch(_PRINCIPAL, principal)
    ]


def people_problems(spec: ClusterSpec) -> list[Problem]:
    """Submitters of jobs that GKE can't identify."""
    problems = [
        Problem(
            field,
            f"is {who!r}",
            "on Google Cloud write a group, a person or a service account, such as group:vision@example.com, "
            "user:ada@example.com or serviceAccount:deploy@my-project.iam.gserviceaccount.com",
        )
        for field, who in named_people(spec)
        if not re.fullmatch(_SUBMITTER, who)
    ]
    domains = _domains(spec)
    if len(domains) > 1:
        field, who = next(
            (field, who)
            for field, who in named_people(spec)
            if who.startswith(_GROUP) and who.endswith(f"@{domains[1]}")
        )
        problems.append(
            Problem(
                field,
                f"is {who!r}, but another group is in {domains[0]}",
                "GKE supports groups of one domain: use groups of one domain, and user: for people of others",
            )
        )
    return problems


def security_group(spec: ClusterSpec) -> str | None:
    """The group in which GKE looks up other groups; None if no group submits jobs.

    Source: GKE documentation, "Configure Google Groups for RBAC": it has this name in every domain.
    """
    domains = _domains(spec)
    return f"gke-security-groups@{domains[0]}" if domains else None


def people_notes(spec: ClusterSpec) -> list[str]:
    """Requirements on the directory, which a plan can't look up."""
    around = security_group(spec)
    if around is None:
        return []
    groups = sorted({who.removeprefix(_GROUP) for _, who in named_people(spec) if who.startswith(_GROUP)})
    return [
        f"groups: {around} must exist, with {', '.join(groups)} as members, and each group must let its members view "
        "its membership"
    ]


def _domains(spec: ClusterSpec) -> list[str]:
    groups = [who for _, who in named_people(spec) if who.startswith(_GROUP) and re.fullmatch(_SUBMITTER, who)]
    return list(dict.fromkeys(who.rpartition("@")[2] for who in groups))


def _rights(admins: Sequence[str]) -> str:
    others = "".join(f", {principal}" for principal in admins)
    return f"admins: identities with roles/container.admin in the project{others}"
