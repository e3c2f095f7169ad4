"""A subnet of the user's network, as a few plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from azure.core.exceptions import ResourceNotFoundError

from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.azure.ids import id_of

RESERVED: Final = 5
"""Addresses of a subnet that are Azure's. Source: Azure documentation, "Virtual network FAQ"."""


@dataclass(frozen=True, kw_only=True)
class Subnet:
    """used: addresses that are taken. gateway, routes: ids of its NAT gateway and its route table, empty for none.
    endpoints: services.
    """

    ranges: list[str]
    used: int
    gateway: str
    routes: str
    endpoints: list[str]


def subnet_of(clients: Clients, subnet: str) -> Subnet:
    """Raises CannotAsk if it does not exist."""
    place = id_of(subnet)
    try:
        found = clients.of(place.subscription).network.subnets.get(place.group, place.parent, place.name)
    except ResourceNotFoundError:
        raise CannotAsk(
            f"the subnet {place.name} does not exist in {place.parent}", "create it, or write the id of another"
        ) from None
    held = found.properties
    if held is None:
        raise CannotAsk(f"Azure says nothing about the subnet {place.name}")
    return Subnet(
        ranges=held.address_prefixes or ([held.address_prefix] if held.address_prefix else []),
        used=len(held.ip_configurations or []),
        gateway=(held.nat_gateway.id if held.nat_gateway is not None else None) or "",
        routes=(held.route_table.id if held.route_table is not None else None) or "",
        endpoints=[one.service or "" for one in held.service_endpoints or []],
    )
