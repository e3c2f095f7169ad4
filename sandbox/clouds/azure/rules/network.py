"""Virtual networks, their subnets and public addresses.

A network over 172.16.0.0/16, which InfiniBand reserves, is taken by ARM like any other: that is for a plan to refuse.
Sources: Azure virtual network API, subnets (Azure/azure-cli #10917 for an overlap); Azure NAT Gateway documentation,
"NAT gateway resource".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.azure.model import Thing
from gpucluster.sandbox.clouds.azure.ranges import clash, of_network, of_subnet, written
from gpucluster.sandbox.clouds.azure.rules.rule import refused, rule
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []

_NETWORK: Final = "azure-native:network:VirtualNetwork"
_SUBNET: Final = "azure-native:network:Subnet"
_GATEWAY: Final = "azure-native:network:NatGateway"
_ADDRESS: Final = "azure-native:network:PublicIPAddress"
_SMALLEST: Final = 29


def _blocks(thing: Thing) -> list[Any]:
    if thing.token == _NETWORK:
        return items(mapping(thing.inputs.get("addressSpace")).get("addressPrefixes"))
    return [
        block for block in [thing.inputs.get("addressPrefix"), *items(thing.inputs.get("addressPrefixes"))] if block
    ]


@rule(_NETWORK, _SUBNET)
def ranges_are_written_as_ranges(thing: Thing) -> None:
    """Blocks without host bits, of eight addresses and more; IPv6 is not looked at."""
    blocks = _blocks(thing)
    if not blocks:
        raise refused("InvalidRequestFormat", f"'{thing.name}' has no address prefix")
    for block in blocks:
        found = written(block)
        if ":" not in str(block) and (found is None or found.prefixlen > _SMALLEST):
            message = f"The address prefix {block} in resource {thing.id} has an invalid CIDR notation."
            raise refused("InvalidCIDRNotation", message)


@rule(_SUBNET)
def subnet_is_inside_its_network(thing: Thing) -> None:
    """Every range of a subnet is in the address space of its network."""
    network = thing.at(_NETWORK, thing.parent)
    space = of_network(network.inputs) if network is not None else []
    name = thing.inputs["virtualNetworkName"]
    for block in of_subnet(thing.inputs):
        if not any(block.subnet_of(around) for around in space):
            message = (
                f"Subnet '{thing.name}' is not valid because its IP address range {block} is outside the IP address "
                f"range of virtual network '{name}'."
            )
            raise refused("NetcfgSubnetRangeOutsideVnet", message)


@rule(_SUBNET)
def subnets_do_not_overlap(thing: Thing) -> None:
    """No two subnets of a network share an address."""
    for entry in thing.under(_SUBNET, thing.parent):
        found = clash(of_subnet(thing.inputs), of_subnet(entry.inputs))
        if found:
            message = (
                f"Subnet '{thing.name}' is not valid because its IP address range {found[0]} overlaps with that of an "
                f"existing subnet in virtual network '{thing.inputs['virtualNetworkName']}': {entry.name}, {found[1]}."
            )
            raise refused("NetcfgSubnetRangesOverlap", message)


@rule(_NETWORK)
def network_keeps_room_for_its_subnets(thing: Thing) -> None:
    """The address space does not shrink under a subnet."""
    for entry in thing.under(_SUBNET, thing.id):
        for block in of_subnet(entry.inputs):
            if not any(block.subnet_of(around) for around in of_network(thing.inputs)):
                message = f"Address prefix {block} of subnet {entry.name} is outside the address space of {thing.name}."
                raise refused("InUsePrefixCannotBeDeleted", message)


@rule(_GATEWAY)
def gateway_has_standard_addresses(thing: Thing) -> None:
    """A gateway has a SKU, addresses of the same, and one zone at most."""
    if not mapping(thing.inputs.get("sku")).get("name"):
        raise refused("InvalidRequestFormat", f"NAT gateway {thing.name} has no sku; known: Standard")
    if len(items(thing.inputs.get("zones"))) > 1:
        raise refused("InvalidRequestFormat", f"NAT gateway {thing.name} takes one zone at most")
    for given in items(thing.inputs.get("publicIpAddresses")):
        found = thing.at(_ADDRESS, mapping(given).get("id"))
        if found is not None and _sku(found.inputs) != "Standard":
            message = f"NAT gateway {thing.name} takes addresses of SKU Standard, {found.name} is {_sku(found.inputs)}."
            raise refused("NatGatewayPublicIpSkuMismatch", message)


def _sku(inputs: Mapping[str, Any]) -> str:
    """Basic where a program names none (Azure virtual network API 2024-05-01, PublicIPAddressSku)."""
    return str(mapping(inputs.get("sku")).get("name") or "Basic")


@rule(_ADDRESS)
def standard_addresses_are_static(thing: Thing) -> None:
    """An address of SKU Standard is allocated when it is made."""
    if _sku(thing.inputs) == "Standard" and thing.inputs.get("publicIPAllocationMethod") != "Static":
        message = f"Standard sku publicIp {thing.id} must have AllocationMethod set to Static."
        raise refused("StandardSkuPublicIPAddressesMustBeStatic", message)
