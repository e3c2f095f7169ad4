"""The address plan: ranges are private, do not overlap reserved ones, and have room for all nodes."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from gpucluster.catalog.azure_ranges import INFINIBAND, azure_ranges
from gpucluster.components.address_ranges import peer_problems, range_problems, sixteenth
from gpucluster.components.problem import Problem
from gpucluster.components.spec.own_things import ClusterNetwork, ExistingNetwork
from gpucluster.record import record

# Services of every machine: its metadata, with tokens of its identities, and Azure's wire server, with its settings.
# Sources: Azure documentation, "Azure Instance Metadata Service" and "What is IP address 168.63.129.16?".
MACHINE_SERVICES = ("169.254.169.254", "168.63.129.16")

# The first four addresses of a subnet and the last one are Azure's. Source: Azure documentation, "Virtual network FAQ".
_RESERVED = 5
# An overlay gives every node a /24 of the pods' range. Source: AKS documentation, "Azure CNI Overlay".
_NODE_PODS = 256
# TiB -> prefix of the subnet for this much Lustre; /24 is the minimum in all sources.
# Sources: Azure Managed Lustre documentation, "Prerequisites"; azure-native SDK, AmlFilesystem.filesystemSubnet.
_LUSTRE_SUBNETS = {196: 24, 400: 23}


@record(kw_only=True)
class AddressPlan:
    """network: contains the subnets nodes and lustre. pods, services: known only inside the cluster, so they must lie
    outside the network. dns: address of the cluster's DNS, one of the services. existing: the user's network, if the
    stack creates none.
    """

    network: str = "10.0.0.0/16"
    nodes: str = "10.0.0.0/20"
    lustre: str = "10.0.32.0/24"
    services: str = "10.1.0.0/20"
    dns: str = "10.1.0.10"
    pods: str = "10.4.0.0/14"
    existing: ExistingNetwork | None = None

    @property
    def routed(self) -> bool:
        """Whether nodes reach the internet by the routes of the user's network, not a NAT gateway."""
        return self.existing is not None and self.existing.egress == "routes"


def plan_addresses(asked: ClusterNetwork, *, lustre_tib: int = 0) -> AddressPlan:
    """The ranges of a cluster. lustre_tib: size of its Managed Lustre."""
    ranges, ours = asked.ranges, AddressPlan()
    network = (asked.existing.cidr if asked.existing else ranges.network) or ours.network
    services = ranges.services or ours.services
    return AddressPlan(
        network=network,
        nodes=sixteenth(network, 0),
        lustre=_lustre_range(sixteenth(network, 2), lustre_tib),
        services=services,
        dns=str(ipaddress.IPv4Network(services)[10]),
        pods=ranges.pods or ours.pods,
        existing=asked.existing,
    )


def _lustre_range(block: str, capacity_tib: int) -> str:
    """The subnet of a Managed Lustre file system of this size. Above the documented sizes, the whole block."""
    room = ipaddress.IPv4Network(block)
    prefix = next((found for most, found in _LUSTRE_SUBNETS.items() if capacity_tib <= most), room.prefixlen)
    return str(next(room.subnets(new_prefix=prefix))) if prefix > room.prefixlen else block


def address_problems(plan: AddressPlan, *, nodes: int, peers: Sequence[str] = ()) -> list[Problem]:
    """Ranges that are public, overlap each other or reserved ones, or are too small.

    nodes: of all pools. peers: ranges at the other end of a VPN, as in access.cidrs.
    """
    outer = {
        name: ipaddress.IPv4Network(cidr)
        for name, cidr in {"network": plan.network, "services": plan.services, "pods": plan.pods}.items()
    }
    # The plan does not know the subnets of the user's network.
    cut = {} if plan.existing else {"nodes": plan.nodes, "Lustre": plan.lustre}
    subnets = {name: ipaddress.IPv4Network(cidr) for name, cidr in cut.items()}
    problems = [*range_problems(outer), *range_problems(subnets)]
    problems += [
        Problem("", f"the range of {name}, {cidr}, is outside of the network ({plan.network})")
        for name, cidr in subnets.items()
        if not cidr.subnet_of(outer["network"])
    ]
    problems += [
        Problem(
            "network.existing.cidr" if name == "network" and plan.existing else f"network.ranges.{name}",
            f"is {cidr}, which overlaps {kept}",
            "write another range",
        )
        for name, cidr in outer.items()
        if (kept := _reserved_in(cidr))
    ]
    problems += [
        Problem(
            "access.cidrs",
            f"has {peer}, which overlaps {kept}, and nodes reach nothing else there",
            "name other ranges",
        )
        for peer in peers
        if (kept := _reserved_in(ipaddress.IPv4Network(peer), INFINIBAND))
    ]
    problems += peer_problems(outer, peers)
    rooms = {
        "nodes": (subnets.get("nodes", outer["network"]).num_addresses - _RESERVED, nodes),
        "pods": (outer["pods"].num_addresses, nodes * _NODE_PODS),
    }
    problems += [
        Problem(
            "training.nodes",
            f"and the other pools need {needed:,} addresses for {name}",
            f"the plan has {room:,}: request fewer nodes",
        )
        for name, (room, needed) in rooms.items()
        if needed > room
    ]
    return problems


def _reserved_in(cidr: ipaddress.IPv4Network, *owners: str) -> str:
    """The reserved ranges that a range overlaps, with their owners, as text. owners: only theirs."""
    found: dict[str, list[str]] = {}
    for kept, owner in azure_ranges().items():
        if owner in (owners or (owner,)) and cidr.overlaps(ipaddress.IPv4Network(kept)):
            found.setdefault(owner, []).append(kept)
    return " and ".join(f"{' and '.join(kept)}, reserved for {owner}" for owner, kept in found.items())
