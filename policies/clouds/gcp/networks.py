"""Networks of a node pool in addition to the cluster's own.

An entry names a network and a subnet. Before the update either may be unknown; then only the resources on which the
entries together depend are visible, not those of each entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, items, text
from gpucluster.policies.clouds.gcp.declared_pools import GcpPool, last, made_by_name
from gpucluster.policies.clouds.gcp.pools import NodePool, training_pools

NETWORK: Final = "gcp:compute/network:Network"
SUBNETWORK: Final = "gcp:compute/subnetwork:Subnetwork"

_ROCE: Final = "-vpc-roce"


@dataclass(frozen=True)
class Place:
    """A network or subnet by the given name; `resource` if it is in this stack."""

    name: str | Unknown
    resource: Resource | None

    @property
    def identity(self) -> str | Unknown:
        """A key that is equal for the same network: its URN if it is in this stack, else its name."""
        return self.resource.urn if self.resource is not None else self.name

    @property
    def label(self) -> str:
        if self.resource is not None:
            return f"`{self.resource.name}`"
        return "one not known yet" if self.name is UNKNOWN else f"`{self.name}`"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One of additionalNodeNetworkConfigs."""

    network: Place
    subnet: Place

    @property
    def certain(self) -> bool:
        return self.network.identity is not UNKNOWN and self.subnet.identity is not UNKNOWN


def place(given: Any, type_: str, resources: Resources, made: Sequence[Resource] = ()) -> Place:
    """The place that a value names; for an unknown value, the one of `made` on which it depends."""
    if isinstance(given, str):
        resource = made_by_name(resources, type_, given)
        return Place(last(given), resource)
    return Place(UNKNOWN, made[0] if len(made) == 1 else None)


def entries_of(declared: GcpPool, resources: Resources) -> list[Entry] | Unknown:
    """The additional networks in the pool's order; UNKNOWN if their number is unknown."""
    listed = items(declared.inputs, "networkConfig", "additionalNodeNetworkConfigs")
    if listed is UNKNOWN:
        return UNKNOWN
    made = resources.present(declared.dependencies("networkConfig"))
    networks, subnets = ([found for found in made if found.type == type_] for type_ in (NETWORK, SUBNETWORK))
    return [_entry(entry, resources, networks, subnets) for entry in listed]


def _entry(entry: Any, resources: Resources, networks: list[Resource], subnets: list[Resource]) -> Entry:
    subnet = place(at(entry, "subnetwork"), SUBNETWORK, resources, subnets)
    network = place(at(entry, "network"), NETWORK, resources, networks)
    if network.resource is None and subnet.resource is not None:
        network = own_network(subnet.resource, resources)
    return Entry(network=network, subnet=subnet)


def own_network(resource: Resource, resources: Resources) -> Place:
    """The network that a subnet, a firewall or a cluster names as its own."""
    referred = resources.referred(resource, "network", NETWORK)
    given = at(resource.inputs, "network")
    return (
        Place(last(given) if isinstance(given, str) else UNKNOWN, referred)
        if referred
        else place(given, NETWORK, resources)
    )


def resolved(pool: NodePool, entries: list[Entry], resources: Resources) -> list[Resource]:
    """The networks in this stack that the entries certainly name, in any entry."""
    found = {entry.network.resource.urn: entry.network.resource for entry in entries if entry.network.resource}
    if all(entry.certain for entry in entries):
        return list(found.values())
    for made in resources.present(pool.declared.dependencies("networkConfig")):
        network = own_network(made, resources).resource if made.type == SUBNETWORK else made
        if network is not None and network.type == NETWORK:
            found[network.urn] = network
    return list(found.values())


def profile_of(network: Resource) -> str | Unknown | None:
    """The zone of a network's RoCE profile; None for a network without one."""
    profile = text(network.inputs, "networkProfile")
    if profile is None or profile is UNKNOWN:
        return profile
    name = last(profile)
    return name.removesuffix(_ROCE) if name.endswith(_ROCE) else None


def pool_zones(resources: Resources) -> set[str | Unknown]:
    """The possible zones of training pool nodes."""
    return {zone for pool in training_pools(resources) for nodes in pool for zone in _zones(nodes)}


def _zones(nodes: NodePool) -> set[str | Unknown]:
    return {UNKNOWN} if nodes.zones.names is UNKNOWN else {*nodes.zones.names}
