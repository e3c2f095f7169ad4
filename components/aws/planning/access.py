"""Access to the cluster's API, and egress of its network, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.network import access_route, refuse_dns, refuse_peer, report_examples
from gpucluster.components.shared.teams import people_fields
from gpucluster.components.spec.access import PrivateAccess, PublicAccess, Team

_PRINCIPAL = r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/[\w+=,.@/-]+$"

# Source: Amazon EKS user guide, service-quotas: public endpoint access CIDR ranges per cluster, not adjustable.
_MOST_RANGES = 40

# Services that nodes, add-ons and controllers call; a private network has an endpoint for each. Source: Amazon EKS user
# guide, private-clusters.
# IAM has no such endpoint, so Karpenter gets an existing instance profile if there is no other route out.
SERVICES = (
    "ec2",
    "ec2messages",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "logs",
    "monitoring",
    "ssm",
    "ssmmessages",
    "sts",
)


@dataclass(frozen=True, kw_only=True)
class AccessPlan:
    """public_cidrs: ranges that reach the API over the internet; if empty, the internet can't reach it.

    client_cidrs: ranges that reach it inside the network, in addition to the nodes.
    admins: ARNs of the IAM roles and users with all permissions in the cluster, in addition to its creator.
    services: AWS services with an interface endpoint in the network.
    nat: whether private subnets have a route to the internet.
    registry: mirror for images from outside AWS's regional registry.
    only_examples: why the API is unreachable, which stops an update.
    summary: all of the above in one line, to print.
    """

    public_cidrs: tuple[str, ...]
    client_cidrs: tuple[str, ...]
    admins: tuple[str, ...]
    services: tuple[str, ...]
    nat: bool
    registry: str | None
    summary: str
    only_examples: str | None = None


def plan_access(
    access: PublicAccess | PrivateAccess,
    teams: Mapping[str, Team],
    planning: Planning[Any],
    *,
    vpc_cidr: str,
    karpenter: bool,
    collector: bool,
) -> AccessPlan:
    """The access of a cluster in a network of this range. karpenter, collector: whether Karpenter and the collector of
    the jobs' own metrics run in it.
    """
    refuse_dns(access, "EKS", planning)
    refuse_peer(access, planning)
    admins = {f"access.admins[{at}]": arn for at, arn in enumerate(access.admins)}
    for field, arn in {**admins, **people_fields(access, teams)}.items():
        _check_principal(field, arn, planning)
    if isinstance(access, PublicAccess):
        if len(access.cidrs) > _MOST_RANGES:
            fix = f"EKS allows {_MOST_RANGES} for a public API: merge or remove some"
            planning.refuse("access.cidrs", f"has {len(access.cidrs)} ranges", fix)
        return AccessPlan(
            public_cidrs=access.cidrs,
            client_cidrs=(),
            admins=access.admins,
            services=(),
            nat=True,
            registry=None,
            only_examples=report_examples(access, planning),
            summary=f"over the internet from {', '.join(access.cidrs)}, and from the nodes; {_rights(access.admins)}",
        )
    out = "internet by NAT" if access.egress == "nat" else "no internet"
    return AccessPlan(
        public_cidrs=(),
        client_cidrs=access.cidrs if access.via == "vpn" else (vpc_cidr,),
        admins=access.admins,
        services=(*SERVICES, *(["sqs"] if karpenter else []), *(["aps-workspaces"] if collector else [])),
        nat=access.egress == "nat",
        registry=access.registry,
        summary=f"inside only, {access_route(access, vpc_cidr)}; {_rights(access.admins)}; {out}",
    )


def _check_principal(field: str, arn: str, planning: Planning[Any]) -> None:
    if re.fullmatch(_PRINCIPAL, arn):
        return
    session = "; for a session, name the role in its ARN after assumed-role/" if ":assumed-role/" in arn else ""
    fix = f"on AWS write the ARN of an IAM role or user, such as arn:aws:iam::123456789012:role/platform-admin{session}"
    planning.refuse(field, f"is {arn!r}", fix)


def _rights(admins: Sequence[str]) -> str:
    others = "".join(f", {arn.split(':', 5)[-1]}" for arn in admins)
    return f"admins: the identity that runs the first `pulumi up`{others}"
