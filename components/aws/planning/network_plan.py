"""The network of a cluster on AWS: the ranges of its subnets, or the user's network. Imports no Pulumi."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

from gpucluster.components.aws.location import Location, is_zone_id
from gpucluster.components.aws.planning.access import SERVICES
from gpucluster.components.aws.planning.quotas import ADDRESS, VPC
from gpucluster.components.aws.planning.storage import lustre_place
from gpucluster.components.planning.address_ranges import refuse_peers, refuse_ranges, sixteenth
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.existing import ClusterNetwork, ExistingNetwork
from gpucluster.core.catalog.aws_regions import aws_regions, local_zone_names
from gpucluster.core.program.questions import Question

_VPC = r"^vpc-([0-9a-f]{8}|[0-9a-f]{17})$"
_SUBNET = r"^subnet-([0-9a-f]{8}|[0-9a-f]{17})$"
_DESCRIBE = "aws ec2 describe-availability-zones --query 'AvailabilityZones[].[ZoneName,ZoneId]'"
# EKS requires subnets in two zones. Source: Amazon EKS user guide, network-reqs.
_OTHERS = 2

# Addresses that EC2 reserves in a subnet, and the minimum of a node: its own and a block of 16.
# Sources: Amazon VPC user guide, subnet-sizing; Amazon EKS best practices, prefix mode for Linux.
_RESERVED = 5
_NODE = 17


@dataclass(frozen=True, kw_only=True)
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
        return (ipaddress.IPv4Network(cidr).num_addresses - _RESERVED) // _NODE


def network_range(network: ClusterNetwork) -> str:
    """Of all addresses of a cluster."""
    return (network.existing.cidr if network.existing else network.ranges.network) or NetworkPlan.vpc_cidr


def plan_network(
    network: ClusterNetwork,
    planning: Planning[Location],
    *,
    nodes: int,
    peers: Sequence[str],
    nat: bool,
    services: tuple[str, ...],
) -> NetworkPlan:
    """nodes: of the training pool. peers: ranges at the other end of a VPN. nat, services: as in the plan."""
    existing = network.existing
    plan = NetworkPlan(
        vpc_cidr=network_range(network),
        nat=nat,
        services=() if existing else services,
        service_cidr=network.ranges.services,
        existing=existing,
    )
    chosen = {"network": plan.vpc_cidr, "services": plan.service_cidr}
    ranges = {name: ipaddress.IPv4Network(cidr) for name, cidr in chosen.items() if cidr is not None}
    refuse_ranges(ranges, planning)
    # Clients of AWS' VPN endpoint have addresses of the network itself.
    refuse_peers({name: cidr for name, cidr in ranges.items() if name == "services"}, peers, planning)
    if network.ranges.pods:
        planning.notes.append("network.ranges.pods: on AWS pods use addresses of the network")
    _report_zones(planning)
    if existing is None:
        planning.quotas[VPC] += 1
        planning.quotas[ADDRESS] += nat
    else:
        _check_existing(existing, planning)
        _report_existing(existing, planning, nodes=nodes, nat=nat, services=plan.service_cidr)
    return plan


def _check_existing(existing: ExistingNetwork, planning: Planning[Location]) -> None:
    """Ids that AWS does not use, and fields that only other clouds use."""
    at = "network.existing"
    subnets = {f"{at}.nodes": existing.nodes, **{f"{at}.others[{n}]": one for n, one in enumerate(existing.others)}}
    if not re.fullmatch(_VPC, existing.id):
        planning.refuse(f"{at}.id", f"is {existing.id!r}", "write an id such as vpc-0123456789abcdef0")
    for field, one in subnets.items():
        if not re.fullmatch(_SUBNET, one):
            planning.refuse(field, f"is {one!r}", "write an id such as subnet-0123456789abcdef0")
    if (count := len(set(existing.others))) != _OTHERS:
        fix = "write two private subnets in two zones: EKS needs both"
        planning.refuse(f"{at}.others", f"has {count} subnets", fix)
    unused = {"storage": existing.storage, "pods": existing.pods, "services": existing.services}
    unused["egress"] = None if existing.egress == "nat" else existing.egress
    for name, value in unused.items():
        if value is not None:
            planning.refuse(f"{at}.{name}", "is set, but AWS does not use it", "remove it")


def _report_existing(
    existing: ExistingNetwork, planning: Planning[Location], *, nodes: int, nat: bool, services: str | None
) -> None:
    """Requirements on the user's network, which a plan can't look up. services: range of Kubernetes services.

    Sources: Amazon EKS user guide, network-reqs (DNS, zones) and private-clusters; Amazon EC2 user guide, efa.
    """
    location = planning.location
    zones = zip(existing.others, location.cluster_zones, ("private in", "in"), strict=False)
    others = ", ".join(f"{subnet} {kind} {zone}" for subnet, zone, kind in zones)
    out = (
        "a route to the internet, such as a NAT gateway: nodes cannot use a proxy"
        if nat
        else f"interface endpoints with private DNS for {', '.join(SERVICES)}"
    )
    planning.notes.append(
        f"network: {existing.id} is your network: the cluster adds security groups and interfaces, and destroy removes "
        "only these"
    )
    of_subnets = (
        f"network: {existing.nodes} must be private, in {location.zone}, with {nodes * _NODE:,} free addresses for "
        f"{nodes} GPU nodes; {others}"
    )
    of_network = (
        f"network: {existing.id} must have DNS resolution and DNS hostnames enabled, the addresses of {existing.cidr}, "
        f"a gateway endpoint for S3 (without it, S3 traffic is billed by the NAT gateway), and {out}"
    )
    out_by = "nat" if nat else " ".join(SERVICES)
    planning.ask(
        _subnet(existing.nodes, existing.id, location.zone, of_subnets, addresses=nodes * _NODE),
        *(
            _subnet(subnet, existing.id, zone, of_subnets)
            for subnet, zone in zip(existing.others, location.cluster_zones, strict=False)
        ),
        Question(
            about="network",
            subject=existing.id,
            needed=existing.cidr,
            place=location.region,
            title="network",
            details={"subnet": existing.nodes, "out": out_by, "services": services or ""},
            note=of_network,
        ),
    )


def _subnet(subnet: str, network: str, zone: str, note: str, addresses: int | None = None) -> Question:
    """addresses: free ones that it needs; None for a subnet of the control plane and the system nodes, all of which are
    private.
    """
    return Question(
        about="subnet",
        subject=subnet,
        needed=addresses or "private",
        unit="free addresses" if addresses else "",
        place=zone,
        title="subnet",
        details={"network": network},
        note=note,
    )


def _report_zones(planning: Planning[Location]) -> None:
    """Requirements of the location on the account, and ambiguities of a zone name."""
    location = planning.location
    first, second = location.cluster_zones
    refused = aws_regions()[location.region].without_eks
    if location.local_zone is not None:
        in_zone = lustre_place(location).in_gpu_zone
        storage = "" if in_zone else f", and shared storage in {first}, so every read crosses zones"
        note = (
            f"{location.zone} is a Local Zone, which the account must opt in to: control plane and system nodes are in "
            f"{first} and {second}{storage}; whether it has gp3 disks is unknown"
        )
        group = local_zone_names(location.region, location.zone)[2]
        planning.ask(
            Question(
                about="zone",
                subject=location.zone,
                needed="opted in",
                place=location.region,
                title="Local Zone",
                details={"group": group},
                note=note,
            ),
            *(_zone(zone, location, refused) for zone in location.cluster_zones),
        )
        return
    named = [zone for zone in location.cluster_zones if not is_zone_id(zone)]
    note = (
        f"EKS places no control plane in {' or '.join(refused)}, which {' or '.join(named)} may be in your account: "
        f"`{_DESCRIBE}` shows it; zones may be written as ids"
        if refused and named
        else ""
    )
    zones = dict.fromkeys([*location.cluster_zones, location.zone])
    planning.ask(
        *(
            _zone(
                zone,
                location,
                refused if zone in location.cluster_zones else (),
                note if zone in named else "",
            )
            for zone in zones
        )
    )


def _zone(zone: str, location: Location, refused: Sequence[str], note: str = "") -> Question:
    """refused: ids of zones where EKS places no control plane, if the zone is to have one."""
    return Question(
        about="zone",
        subject=zone,
        needed=f"not {' or '.join(refused)}" if refused else None,
        place=location.region,
        title="zone",
        details={"refused": " ".join(refused)},
        note=note,
    )
