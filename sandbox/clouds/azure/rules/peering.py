"""Peerings of virtual networks, and the gateways of the networks.

Sources: Azure/ResourceModules issue 731 (VnetAddressSpaceOverlapsWithAlreadyPeeredVnet, in its words); Azure
documentation, "Create, change, or delete a virtual network peering" (ranges of peered networks do not overlap).
hashicorp/terraform #30569 (RemoteVnetHasNoGateways) and hashicorp/terraform-provider-azurerm #2872, whose
words come without a code; Azure virtual network API, VirtualNetworkPeeringPropertiesFormat.useRemoteGateways (one such
peering, and no gateway of its own; the words are ours). A network that no stack here created has unknown gateways.
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.identity import same_id
from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.ranges import clash, of_network
from gpucluster.sandbox.clouds.azure.rules.rule import refused, rule

_PEERING: Final = "azure-native:network:VirtualNetworkPeering"
_NETWORK: Final = "azure-native:network:VirtualNetwork"
_GATEWAY: Final = "azure-native:network:VirtualNetworkGateway"


@rule(_PEERING)
def gateways_are_used_where_they_are(managed: ManagedResource) -> None:
    """A gateway is in the other network only, whose peering permits it, and no other peering uses one."""
    if managed.inputs.get("useRemoteGateways") is not True:
        return
    remote = _remote(managed.inputs)
    if managed.at(_NETWORK, remote) is not None and not _has_gateway(managed, remote):
        message = (
            f"Peering {managed.id} cannot have UseRemoteGateway flag set to true because remote virtual network "
            f"{remote} referenced by the peering does not have any gateways."
        )
        raise refused("RemoteVnetHasNoGateways", message)
    back = [other for other in managed.under(_PEERING, remote) if same_id(_remote(other.inputs), managed.parent)]
    if any(other.inputs.get("allowGatewayTransit") is not True for other in back):
        message = (
            f"{managed.name} cannot have UseRemoteGateways flag set to true, because corresponding remote peering has "
            "AllowGatewayTransit flag set to false."
        )
        raise refused("BadRequest", message)
    if _has_gateway(managed, managed.parent):
        raise refused("BadRequest", f"{managed.name}: its virtual network has a gateway of its own")
    if any(other.inputs.get("useRemoteGateways") is True for other in managed.under(_PEERING, managed.parent)):
        raise refused("BadRequest", f"{managed.name}: another peering of its virtual network uses remote gateways")


def _remote(inputs: object) -> str:
    return str(mapping(mapping(inputs).get("remoteVirtualNetwork")).get("id") or "")


def _has_gateway(managed: ManagedResource, network: str) -> bool:
    """Whether a gateway is in the subnet that is named for gateways."""
    return bool(managed.ledger.mentioning({_GATEWAY}, f"{network}/subnets/GatewaySubnet"))


@rule(_PEERING)
def ranges_are_apart(managed: ManagedResource) -> None:
    """A network shares no address with a network it is peered with, nor with the others that are peered with that."""
    there = _remote(managed.inputs)
    cannot = (
        f"Cannot create or update peering {managed.id}. Virtual networks {managed.parent} and {there} cannot be peered"
    )
    if found := _clash(managed, there):
        message = f"{cannot} because their address spaces overlap. Overlapping address prefixes: {found}."
        raise refused("VnetAddressSpacesOverlap", message)
    for entry in managed.ledger.under(there, {_PEERING}):
        other = _remote(entry.inputs)
        if not same_id(other, managed.parent) and (found := _clash(managed, other)):
            message = (
                f"{cannot} because address space of the first virtual network overlaps with address space of virtual "
                f"network {other} already peered with the second virtual network. Overlapping address prefixes: "
                f"{found}."
            )
            raise refused("VnetAddressSpaceOverlapsWithAlreadyPeeredVnet", message)


def _clash(managed: ManagedResource, other: str) -> str | None:
    """The first range that the peering's own network shares with another."""
    networks = (managed.at(_NETWORK, managed.parent), managed.at(_NETWORK, other))
    found = clash(*(of_network(entry.inputs) if entry is not None else [] for entry in networks))
    return None if found is None else str(found[0])
