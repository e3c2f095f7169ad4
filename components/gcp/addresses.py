"""The address plan: ranges are private, do not overlap, and have room for all nodes."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from gpucluster.components.address_ranges import peer_problems, range_problems, sixteenth
from gpucluster.components.problem import Problem
from gpucluster.components.spec.own_things import ClusterNetwork
from gpucluster.record import record

# Pods on a GPU node: GKE gives a node twice as many addresses, a /26. Source: GoogleCloudPlatform/xpk,
# blueprint_generator.py (32); Google Cloud documentation, "Configure maximum Pods per node".
GPU_PODS_PER_NODE = 32
_GPU_NODE_PODS = 64
# At 110 pods, the default: a /24. Source: the same page.
_NODE_PODS = 256
# The first two and the last two addresses of a subnet are Google's. Source: Google Cloud documentation, "Subnets".
_RESERVED = 4

_NETWORK = "10.0.0.0/16"
_FABRIC = "10.8.0.0/16"


@record(kw_only=True)
class AddressPlan:
    """nodes, pods, services: of the cluster's own network. private_services: for Google's own services (Lustre,
    Filestore) in it. gpu: one for each subnet of a GPU network.
    """

    nodes: str = "10.0.0.0/20"
    services: str = "10.0.32.0/20"
    private_services: str = "10.0.64.0/20"
    pods: str = "10.4.0.0/14"
    gpu: tuple[str, ...] = ()

    def named(self) -> dict[str, str]:
        """Every range by its use."""
        return {
            "nodes": self.nodes,
            "services": self.services,
            "private services": self.private_services,
            "pods": self.pods,
            **{f"GPU network {index}": cidr for index, cidr in enumerate(self.gpu)},
        }


def plan_addresses(gpu_subnets: int, asked: ClusterNetwork) -> AddressPlan:
    """The plan of a cluster whose nodes have interfaces in this many GPU subnets: each a sixteenth of their range. In
    the user's network, `nodes` is the whole range, and pods and services, which exist already, keep our defaults.
    """
    ranges, existing = asked.ranges, asked.existing
    network, fabric = ranges.network or _NETWORK, ranges.fabric or _FABRIC
    return AddressPlan(
        nodes=sixteenth(network, 0) if existing is None else existing.cidr,
        services=ranges.services or sixteenth(network, 2),
        private_services=(existing and existing.storage) or sixteenth(network, 4),
        pods=ranges.pods or AddressPlan.pods,
        gpu=tuple(sixteenth(fabric, index) for index in range(gpu_subnets)),
    )


def address_problems(
    plan: AddressPlan, *, gpu_nodes: int, other_nodes: int, peers: Sequence[str] = (), existing: bool = False
) -> list[Problem]:
    """Ranges that are public, overlap, or are too small.

    peers: ranges at the other end of a VPN, as in access.cidrs. existing: it is the user's network, of which only the
    range is known.
    """
    ranges = {
        name: ipaddress.IPv4Network(cidr)
        for name, cidr in plan.named().items()
        if not existing or name == "nodes" or name.startswith("GPU")
    }
    routed = {name: network for name, network in ranges.items() if not name.startswith("GPU")}
    problems = [*range_problems(ranges), *peer_problems(routed, peers)]
    rooms = {
        "nodes": (ranges["nodes"].num_addresses - _RESERVED, gpu_nodes + other_nodes),
        **(
            {"pods": (ranges["pods"].num_addresses, gpu_nodes * _GPU_NODE_PODS + other_nodes * _NODE_PODS)}
            if "pods" in ranges
            else {}
        ),
        **{
            name: (cidr.num_addresses - _RESERVED, gpu_nodes) for name, cidr in ranges.items() if name.startswith("GPU")
        },
    }
    problems += [
        Problem(
            "training.nodes",
            f"and the other pools need {needed:,} addresses for {name}",
            f"{ranges[name]} has {room:,}: request fewer nodes",
        )
        for name, (room, needed) in rooms.items()
        if needed > room
    ]
    return problems
