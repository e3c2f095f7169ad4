"""GPU traffic is allowed inside its networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.gpudirect import Fabric
from gpucluster.policies.clouds.gcp.firewalls import firewalls_of, opening_of
from gpucluster.policies.clouds.gcp.gpu_networks import gpu_networks_of
from gpucluster.policies.clouds.gcp.networks import Entry, entries_of
from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import NodePool, training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resource, Resources

FIX: Final = (
    "Give every GPU VPC of A3 High and A3 Mega a firewall rule that allows tcp, udp and icmp from its own subnets, "
    "and a RoCE VPC none: it allows its own traffic and supports no rules."
)
READS: Final = (
    f"{MACHINES}, gcp:compute/network:Network, gcp:compute/subnetwork:Subnetwork, gcp:compute/firewall:Firewall"
)


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for nodes in pool:
            entries = entries_of(nodes.written, stack.resources)
            if nodes.fabric is not None and entries is not UNKNOWN:  # else fabric-interfaces-complete reports it
                yield from _of_nodes(nodes, nodes.fabric, entries, stack.resources)


def _of_nodes(pool: NodePool, fabric: Fabric, entries: list[Entry], resources: Resources) -> Iterator[Finding]:
    networks = gpu_networks_of(pool, fabric, entries, resources)
    if fabric.kind == "RoCE":
        yield from _roce(pool, networks, resources)
    else:
        yield from _open(pool, networks, resources)
        elsewhere = {entry.network.label for entry in entries if entry.network.resource is None}
        if elsewhere and len(networks) < len(entries):
            named = ", ".join(sorted(elsewhere))
            yield CannotTell(pool.resource, f"the firewall rules of network {named} are not part of this stack")


def _roce(pool: NodePool, networks: list[Resource], resources: Resources) -> Iterator[Finding]:
    for network in networks:
        rules = ", ".join(f"`{rule.name}`" for rule in firewalls_of(network, resources))
        if rules:
            yield pool.finding(
                f"{pool.label} on RoCE network `{network.name}`, which supports no firewall rules: {rules}"
            )


def _open(pool: NodePool, networks: list[Resource], resources: Resources) -> Iterator[Finding]:
    closed: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for network in networks:
        opening = opening_of(network, resources)
        if opening.closed:
            closed.setdefault((opening.closed, opening.certain), []).append(f"`{network.name}`")
    for (protocols, certain), names in closed.items():
        what = f"{', '.join(protocols)} from the subnets of GPU network {', '.join(names)}"
        if certain:
            yield pool.finding(f"{pool.label}; no firewall rule allows {what}")
        else:
            yield CannotTell(pool.resource, f"whether the firewall allows {what} is unknown")
