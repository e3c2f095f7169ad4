"""The address ranges of an AKS cluster: of its pods, its services and the virtual networks of its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import all_items, at, items, text
from gpucluster.policies.clouds.azure.declared_pools import AzurePool, made_by_name, part
from gpucluster.policies.clouds.azure.pools import AgentPool, training_pools

NETWORK: Final = "azure-native:network:VirtualNetwork"
_SUBNET: Final = "azure-native:network:Subnet"
_NAME: Final = "virtualNetworkName"

# Where a pool gets the addresses of its nodes and pods from.
_SUBNETS: Final = ("vnetSubnetID", "podSubnetID")


@dataclass(frozen=True)
class Range:
    """An address range as declared; `what` names its owner."""

    what: str
    written: str | Unknown


def ranges_of_cluster(cluster: Resource) -> Iterator[Range]:
    """Ranges of pods and services, if the cluster states them."""
    for what in ("pod", "service"):
        one, several = f"{what}Cidr", f"{what}Cidrs"
        found = [at(cluster.inputs, "networkProfile", one), *all_items(cluster.inputs, "networkProfile", several)]
        yield from _read(f"{what}s", found)


def ranges_of_network(network: Resource) -> Iterator[Range]:
    """Ranges of a virtual network."""
    listed = all_items(network.inputs, "addressSpace", "addressPrefixes")
    yield from _read(f"virtual network `{network.name}`", listed)


def virtual_networks(pool: AzurePool, resources: Resources) -> Iterator[Resource | str]:
    """The virtual networks of a pool's nodes and pods: those in this stack as resources, others as text.

    None without a subnet: AKS then creates a virtual network.
    """
    for key in _SUBNETS:
        given = text(pool.inputs, key)
        if given is not None:
            yield _network(pool, key, given, resources) or (
                "its virtual network" if given is UNKNOWN else f"virtual network `{part(given, 'virtualNetworks')}`"
            )


def _network(pool: AzurePool, key: str, given: str | Unknown, resources: Resources) -> Resource | None:
    subnet = pool.referred(resources, key, _SUBNET)
    if subnet is not None:
        made = resources.referred(subnet, _NAME, NETWORK)
        return made or made_by_name(resources, NETWORK, at(subnet.inputs, _NAME), _NAME)
    named = part(given, "virtualNetworks") if isinstance(given, str) else None
    return pool.referred(resources, key, NETWORK) or made_by_name(resources, NETWORK, named, _NAME)


def _read(what: str, found: list[Any]) -> Iterator[Range]:
    for written in dict.fromkeys(found):
        if written is UNKNOWN or isinstance(written, str):
            yield Range(what, written)


def pool_zones(resources: Resources) -> set[str | Unknown]:
    """The possible zones of training pool nodes."""
    return {zone for pool in training_pools(resources) for nodes in pool for zone in _zones(nodes)}


def _zones(nodes: AgentPool) -> set[str | Unknown]:
    listed = items(nodes.declared.inputs, "availabilityZones")
    return {UNKNOWN} if listed is UNKNOWN else {zone if isinstance(zone, str) else UNKNOWN for zone in listed}
