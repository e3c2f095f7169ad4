"""The networks of the GPU fabric: one for each GPU card over TCP, or one with a subnet for each card over RoCE."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from gpucluster.components.gcp import compute
from gpucluster.components.gcp.location import Location

Subnet = tuple[pulumi.Output[str], pulumi.Output[str]]
"""A network and its subnet, both by name."""


def fabric_networks(
    name: str,
    modes: Sequence[str],
    cidrs: Sequence[str],
    *,
    mtu: int,
    location: Location,
    opts: pulumi.ResourceOptions,
) -> list[Subnet]:
    """The subnets of a node's additional interfaces, in the order of its cards.

    modes, cidrs: one for each. All interfaces of mode RDMA share one network of the zone's RoCE profile, which supports
    no firewall rules.
    """
    roce: compute.Network | None = None
    subnets: list[Subnet] = []
    for index, (mode, cidr) in enumerate(zip(modes, cidrs, strict=True)):
        full = f"{name}-{index}"
        if mode == "RDMA":
            roce = network = roce or _roce_network(f"{name}-roce", mtu, location, opts)
        else:
            network = compute.Network(full, auto_create_subnetworks=False, mtu=mtu, routing_mode="REGIONAL", opts=opts)
            compute.Firewall(
                f"{full}-inside",
                network=network.id,
                description="GPU traffic between the nodes",
                source_ranges=[cidr],
                allows=[compute.FirewallAllowArgs(protocol=protocol) for protocol in ("tcp", "udp", "icmp")],
                opts=opts,
            )
        subnet = compute.Subnetwork(
            f"{full}-subnet", network=network.id, region=location.region, ip_cidr_range=cidr, opts=opts
        )
        subnets.append((network.name, subnet.name))
    return subnets


def _roce_network(name: str, mtu: int, location: Location, opts: pulumi.ResourceOptions) -> compute.Network:
    """A network only for RDMA, bound to the zone by its profile."""
    return compute.Network(
        name,
        auto_create_subnetworks=False,
        mtu=mtu,
        routing_mode="REGIONAL",
        network_profile=f"projects/{location.project}/global/networkProfiles/{location.zone}-vpc-roce",
        opts=opts,
    )
