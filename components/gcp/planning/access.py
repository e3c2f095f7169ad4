"""Access to the cluster's API, and egress of its network, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpucluster.components.gcp.location import Location
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.network import access_route, refuse_peer, report_examples
from gpucluster.components.spec.access import Access, PublicAccess

_ADDRESS = r"[^@\s:]+@[^@\s:]+\.[^@\s:.]+"
# Only single principals may be admins: otherwise anybody who manages a group could add admins.
_PRINCIPAL = rf"^(user|serviceAccount):{_ADDRESS}$"
_SUBMITTER = rf"^(group|user|serviceAccount):{_ADDRESS}$"
_GROUP = "group:"


@dataclass(frozen=True, kw_only=True)
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


def plan_access(access: Access, planning: Planning[Location], *, nodes_cidr: str) -> AccessPlan:
    """The access of a cluster whose nodes have addresses in this range."""
    refuse_peer(access, planning)
    for at, principal in enumerate(access.admins):
        if not re.fullmatch(_PRINCIPAL, principal):
            planning.refuse(
                f"access.admins[{at}]",
                f"is {principal!r}",
                "on Google Cloud write a person or a service account, such as user:ada@example.com or "
                "serviceAccount:deploy@my-project.iam.gserviceaccount.com",
            )
    examples = report_examples(access, planning)
    if isinstance(access, PublicAccess):
        return AccessPlan(
            private=False,
            dns=False,
            client_cidrs=access.cidrs,
            admins=access.admins,
            nat=True,
            registry=None,
            only_examples=examples,
            summary=f"over the internet from {', '.join(access.cidrs)}, and from the nodes; {_rights(access.admins)}",
        )
    clients = access.cidrs if access.via == "vpn" else (nodes_cidr,)
    by_name = "by its DNS name only, from anywhere with the IAM permission container.clusters.connect"
    through = by_name if access.via == "dns" else f"inside only, {access_route(access, nodes_cidr)}"
    out = "internet by NAT" if has_nat(access) else "no internet"
    return AccessPlan(
        private=True,
        dns=access.via == "dns",
        client_cidrs=clients,
        admins=access.admins,
        nat=has_nat(access),
        registry=access.registry,
        summary=f"{through}; {_rights(access.admins)}; {out}",
    )


def has_nat(access: Access) -> bool:
    """Whether nodes have a route to the internet."""
    return isinstance(access, PublicAccess) or access.egress == "nat"


def plan_groups(people: Mapping[str, str], planning: Planning[Location]) -> str | None:
    """The group in which GKE looks up other groups; None if no group submits jobs. people: field -> submitter.

    Source: GKE documentation, "Configure Google Groups for RBAC": it has this name in every domain.
    """
    domains: dict[str, str] = {}
    for field, who in people.items():
        if not re.fullmatch(_SUBMITTER, who):
            planning.refuse(
                field,
                f"is {who!r}",
                "on Google Cloud write a group, a person or a service account, such as group:vision@example.com, "
                "user:ada@example.com or serviceAccount:deploy@my-project.iam.gserviceaccount.com",
            )
        elif who.startswith(_GROUP):
            domains.setdefault(who.rpartition("@")[2], field)
    if not domains:
        return None
    first, *others = domains
    if others:
        field = domains[others[0]]
        planning.refuse(
            field,
            f"is {people[field]!r}, but another group is in {first}",
            "GKE supports groups of one domain: use groups of one domain, and user: for people of others",
        )
    around = f"gke-security-groups@{first}"
    groups = sorted({who.removeprefix(_GROUP) for who in people.values() if who.startswith(_GROUP)})
    planning.before_up.append(
        f"groups: {around} must exist, with {', '.join(groups)} as members, and each group must let its members view "
        "its membership"
    )
    return around


def report_grants(principals: Iterable[str], buckets: Iterable[str], planning: Planning[Location]) -> None:
    """Permissions that stay, since another cluster of the project may use the same ones. principals: admins and
    submitters. buckets: of the user.
    """
    retained = {
        "buckets": ("access to {}", sorted({*buckets}), "gcloud storage buckets"),
        "access": ("roles/container.clusterViewer of {}", sorted({*principals}), "gcloud projects"),
    }
    planning.notes += [
        f"{what}: destroy, or removal from the spec, leaves {right.format(', '.join(names))}, which other clusters of "
        f"the project may use; if none does, remove it: {command} remove-iam-policy-binding"
        for what, (right, names, command) in retained.items()
        if names
    ]


def _rights(admins: Sequence[str]) -> str:
    others = "".join(f", {principal}" for principal in admins)
    return f"admins: identities with roles/container.admin in the project{others}"
