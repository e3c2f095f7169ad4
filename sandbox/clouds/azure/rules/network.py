"""Virtual networks, their subnets, public addresses, peerings and gateways.

ARM accepts a network over 172.16.0.0/16, which InfiniBand reserves, like any other: a plan must refuse it. Sources:
Azure virtual network API, subnets (Azure/azure-cli #10917 for an overlap); Azure NAT Gateway documentation, "NAT
gateway resource".

Sources: Azure/ResourceModules issue 731 (VnetAddressSpaceOverlapsWithAlreadyPeeredVnet, with its text); Azure
documentation, "Create, change, or delete a virtual network peering" (ranges of peered networks do not overlap).
hashicorp/terraform #30569 (RemoteVnetHasNoGateways) and hashicorp/terraform-provider-azurerm #2872, whose text comes
without a code; Azure virtual network API, VirtualNetworkPeeringPropertiesFormat.useRemoteGateways (one such peering,
and no gateway in the network itself; the wording is the sandbox's). The gateways of a network that no stack here
created are unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.address_ranges import first_overlap, ipv4_range
from gpucluster.sandbox.clouds.azure.model import ManagedResource, refused, rule, same_id
from gpucluster.sandbox.clouds.azure.networks import ranges_of_network, ranges_of_subnet

_NETWORK: Final = "azure-native:network:VirtualNetwork"
_SUBNET: Final = "azure-native:network:Subnet"
_GATEWAY: Final = "azure-native:network:NatGateway"
_ADDRESS: Final = "azure-native:network:PublicIPAddress"
_SMALLEST: Final = 29


def _blocks(managed: ManagedResource) -> list[Any]:
    if managed.token == _NETWORK:
        return items(mapping(managed.inputs.get("addressSpace")).get("addressPrefixes"))
    return [
        block for block in [managed.inputs.get("addressPrefix"), *items(managed.inputs.get("addressPrefixes"))] if block
    ]


@rule(_NETWORK, _SUBNET)
def ranges_are_written_as_ranges(managed: ManagedResource) -> None:
    """Blocks without host bits, of at least eight addresses; IPv6 is not checked."""
    blocks = _blocks(managed)
    if not blocks:
        raise refused("InvalidRequestFormat", f"'{managed.name}' has no address prefix")
    for block in blocks:
        found = ipv4_range(block)
        if ":" not in str(block) and (found is None or found.prefixlen > _SMALLEST):
            message = f"The address prefix {block} in resource {managed.id} has an invalid CIDR notation."
            raise refused("InvalidCIDRNotation", message)


@rule(_SUBNET)
def subnet_is_inside_its_network(managed: ManagedResource) -> None:
    """Every range of a subnet is in the address space of its network."""
    network = managed.at(_NETWORK, managed.parent)
    space = ranges_of_network(network.inputs) if network is not None else []
    name = managed.inputs["virtualNetworkName"]
    for block in ranges_of_subnet(managed.inputs):
        if not any(block.subnet_of(around) for around in space):
            message = (
                f"Subnet '{managed.name}' is not valid because its IP address range {block} is outside the IP address "
                f"range of virtual network '{name}'."
            )
            raise refused("NetcfgSubnetRangeOutsideVnet", message)


@rule(_SUBNET)
def subnets_do_not_overlap(managed: ManagedResource) -> None:
    """No two subnets of a network share an address."""
    for entry in managed.under(_SUBNET, managed.parent):
        found = first_overlap(ranges_of_subnet(managed.inputs), ranges_of_subnet(entry.inputs))
        if found:
            message = (
                f"Subnet '{managed.name}' is not valid because its IP address range {found[0]} overlaps with that of "
                f"an existing subnet in virtual network '{managed.inputs['virtualNetworkName']}': {entry.name}, "
                f"{found[1]}."
            )
            raise refused("NetcfgSubnetRangesOverlap", message)


@rule(_NETWORK)
def network_keeps_room_for_its_subnets(managed: ManagedResource) -> None:
    """The address space does not shrink under a subnet."""
    for entry in managed.under(_SUBNET, managed.id):
        for block in ranges_of_subnet(entry.inputs):
            if not any(block.subnet_of(around) for around in ranges_of_network(managed.inputs)):
                message = (
                    f"Address prefix {block} of subnet {entry.name} is outside the address space of {managed.name}."
                )
                raise refused("InUsePrefixCannotBeDeleted", message)


@rule(_GATEWAY)
def gateway_has_standard_addresses(managed: ManagedResource) -> None:
    """A gateway has a SKU, addresses of the same SKU, and at most one zone."""
    if not mapping(managed.inputs.get("sku")).get("name"):
        raise refused("InvalidRequestFormat", f"NAT gateway {managed.name} has no sku; known: Standard")
    if len(items(managed.inputs.get("zones"))) > 1:
        raise refused("InvalidRequestFormat", f"NAT gateway {managed.name} takes one zone at most")
    for given in items(managed.inputs.get("publicIpAddresses")):
        found = managed.at(_ADDRESS, mapping(given).get("id"))
        if found is not None and _sku(found.inputs) != "Standard":
            message = (
                f"NAT gateway {managed.name} takes addresses of SKU Standard, {found.name} is {_sku(found.inputs)}."
            )
            raise refused("NatGatewayPublicIpSkuMismatch", message)


def _sku(inputs: Mapping[str, Any]) -> str:
    """Basic by default (Azure virtual network API 2024-05-01, PublicIPAddressSku)."""
    return str(mapping(inputs.get("sku")).get("name") or "Basic")


@rule(_ADDRESS)
def standard_addresses_are_static(managed: ManagedResource) -> None:
    """An address of SKU Standard is allocated at its creation."""
    if _sku(managed.inputs) == "Standard" and managed.inputs.get("publicIPAllocationMethod") != "Static":
        message = f"Standard sku publicIp {managed.id} must have AllocationMethod set to Static."
        raise refused("StandardSkuPublicIPAddressesMustBeStatic", message)


_PEERING: Final = "azure-native:network:VirtualNetworkPeering"
_PEERING_GATEWAY: Final = "azure-native:network:VirtualNetworkGateway"


@rule(_PEERING)
def used_gateways_exist(managed: ManagedResource) -> None:
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
    return bool(managed.ledger.mentioning({_PEERING_GATEWAY}, f"{network}/subnets/GatewaySubnet"))


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
    found = first_overlap(*(ranges_of_network(entry.inputs) if entry is not None else [] for entry in networks))
    return None if found is None else str(found[0])
