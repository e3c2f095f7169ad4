"""The network of a cluster on AWS: the ranges of its subnets, or the user's network. Imports no Pulumi."""

from __future__ import annotations

import ipaddress
import re

from gpucluster.components.address_ranges import peer_problems, range_problems, sixteenth
from gpucluster.components.aws.access import SERVICES
from gpucluster.components.aws.location import Location
from gpucluster.components.problem import Problem
from gpucluster.components.spec.access import PrivateAccess, PublicAccess
from gpucluster.components.spec.own_things import ClusterNetwork, ExistingNetwork
from gpucluster.record import record

_VPC = r"^vpc-([0-9a-f]{8}|[0-9a-f]{17})$"
_SUBNET = r"^subnet-([0-9a-f]{8}|[0-9a-f]{17})$"
# EKS requires subnets in two zones. Source: Amazon EKS user guide, network-reqs.
_OTHERS = 2

# Addresses that EC2 reserves in a subnet, and the minimum of a node: its own and a block of 16.
# Sources: Amazon VPC user guide, subnet-sizing; Amazon EKS best practices, prefix mode for Linux.
_KEPT = 5
_NODE = 17


@record(kw_only=True)
class NetworkPlan:
    """Address ranges. GPU nodes and their pods share one subnet, because fabric peers must be in one zone.

    nat: a route to the internet. services: AWS services with an interface endpoint inside. service_cidr: of Kubernetes
    services; None if EKS chooses it. existing: the user's network, if the stack creates none.
    """

    vpc_cidr: str = "10.0.0.0/16"
    nat: bool = True
    services: tuple[str, ...] = ()
    service_cidr: str | None = None
    existing: ExistingNetwork | None = None

    @property
    def gpu_cidr(self) -> str:
        """The second half."""
        return str(list(ipaddress.IPv4Network(self.vpc_cidr).subnets())[1])

    @property
    def cluster_cidrs(self) -> tuple[str, str]:
        return sixteenth(self.vpc_cidr, 0), sixteenth(self.vpc_cidr, 1)

    @property
    def public_cidr(self) -> str:
        return sixteenth(sixteenth(self.vpc_cidr, 2), 0)

    @property
    def most_nodes(self) -> int:
        """GPU nodes that fit into their subnet; the user's subnet is at most the whole network."""
        cidr = self.vpc_cidr if self.existing else self.gpu_cidr
        return (ipaddress.IPv4Network(cidr).num_addresses - _KEPT) // _NODE


def plan_network(asked: ClusterNetwork, *, nat: bool = True, services: tuple[str, ...] = ()) -> NetworkPlan:
    """The network of a spec. nat, services: as of the plan."""
    existing, ranges = asked.existing, asked.ranges
    return NetworkPlan(
        vpc_cidr=(existing.cidr if existing else ranges.network) or NetworkPlan.vpc_cidr,
        nat=nat,
        services=() if existing else services,
        service_cidr=ranges.services,
        existing=existing,
    )


def network_problems(asked: ClusterNetwork, access: PublicAccess | PrivateAccess) -> list[Problem]:
    """Ranges that overlap, and ids that AWS does not use."""
    plan = plan_network(asked)
    chosen = {"network": plan.vpc_cidr, "services": plan.service_cidr}
    ranges = {name: ipaddress.IPv4Network(cidr) for name, cidr in chosen.items() if cidr is not None}
    # Clients of AWS' VPN endpoint have addresses of the network itself.
    peers = access.cidrs if isinstance(access, PrivateAccess) else ()
    services = {name: cidr for name, cidr in ranges.items() if name == "services"}
    return [*range_problems(ranges), *peer_problems(services, peers), *_existing_problems(asked.existing)]


def _existing_problems(existing: ExistingNetwork | None) -> list[Problem]:
    if existing is None:
        return []
    at = "network.existing"
    ids = {f"{at}.nodes": existing.nodes, **{f"{at}.others[{n}]": one for n, one in enumerate(existing.others)}}
    problems = [] if re.fullmatch(_VPC, existing.id) else [_no_id(f"{at}.id", existing.id, "vpc-0123456789abcdef0")]
    problems += [
        _no_id(field, one, "subnet-0123456789abcdef0") for field, one in ids.items() if not re.fullmatch(_SUBNET, one)
    ]
    if len(set(existing.others)) != _OTHERS:
        count = len(set(existing.others))
        problems.append(
            Problem(f"{at}.others", f"has {count} subnets", "write two private subnets in two zones: EKS needs both")
        )
    given = {"storage": existing.storage, "pods": existing.pods, "services": existing.services}
    given["egress"] = None if existing.egress == "nat" else existing.egress
    return problems + [
        Problem(f"{at}.{name}", "is set, but AWS does not use it", "remove it")
        for name, value in given.items()
        if value is not None
    ]


def _no_id(field: str, seen: str, example: str) -> Problem:
    return Problem(field, f"is {seen!r}", f"write an id such as {example}")


def network_notes(asked: ClusterNetwork, plan: NetworkPlan, location: Location, *, nodes: int) -> list[str]:
    """Requirements on the user's network, which a plan can't look up. nodes: GPU nodes.

    Sources: Amazon EKS user guide, network-reqs (DNS, zones) and private-clusters; Amazon EC2 user guide, efa.
    """
    notes = ["network.ranges.pods: on AWS pods use addresses of the network"] if asked.ranges.pods else []
    existing = plan.existing
    if existing is None:
        return notes
    first, second = location.cluster_zones
    out = (
        "a route to the internet, such as a NAT gateway: nodes cannot use a proxy"
        if plan.nat
        else f"interface endpoints with private DNS for {', '.join(SERVICES)}"
    )
    return [
        *notes,
        f"network: {existing.id} is your network: the cluster adds security groups and interfaces, and destroy removes "
        "only these",
        f"network: {existing.nodes} must be private, in {location.zone}, with {nodes * _NODE:,} free addresses for "
        f"{nodes} GPU nodes; {existing.others[0]} private in {first}, {existing.others[1]} in {second}",
        f"network: {existing.id} must have DNS resolution and DNS hostnames enabled, the addresses of {existing.cidr}, "
        f"a gateway endpoint for S3 (without it, S3 traffic is billed by the NAT gateway), and {out}",
    ]
