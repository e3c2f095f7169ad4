"""The user's network: where it is, and what its subnets have."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Final

from azure.core.exceptions import ResourceNotFoundError

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.azure.ids import id_of, same_region, text_of
from gpucluster.operate.preflight.azure.subnets import RESERVED, Subnet, subnet_of

_STORAGE: Final = "Microsoft.Storage"
_GATEWAY_SUBNET: Final = "GatewaySubnet"
"""Azure accepts VPN and ExpressRoute gateways in a subnet of this name only. Source: Azure documentation, "VPN Gateway
configuration settings"."""
_WIDEST: Final = 24


def network_askers(clients: Clients) -> Mapping[str, Asker]:
    """The questions to one subnet share its answer."""

    def ask(asked: Sequence[Question]) -> list[Answer]:
        answers: list[Answer] = []
        for subnet in dict.fromkeys(one.subject for one in asked):
            found = subnet_of(clients, subnet)
            answers += [_subnet(clients, one, found) for one in asked if one.subject == subnet]
        return answers

    subnets = dict.fromkeys(("subnet-room", "subnet-egress", "subnet-endpoint", "egress-address"), ask)
    return {
        **subnets,
        # The other subnet: a failure of one leaves the answers about the other.
        "lustre-room": lambda asked: [_lustre(one, subnet_of(clients, one.subject)) for one in asked],
        "network": lambda asked: [_network(clients, one) for one in asked],
    }


def _network(clients: Clients, question: Question) -> Answer:
    place = id_of(question.subject)
    try:
        found = clients.of(place.subscription).network.virtual_networks.get(place.group, place.name)
    except ResourceNotFoundError:
        return refused(question, "does not exist", "write the id of yours", "az network vnet list --output table")
    region = question.details.get("region")
    if region and not same_region(found.location, region):
        return refused(question, f"in {found.location}", f"use one in {region}, or change gpucluster:region")
    held = found.properties
    ranges = [] if held is None or held.address_space is None else held.address_space.address_prefixes or []
    text = f"in {found.location}, {', '.join(ranges)}"
    subnets = [] if held is None else [one.name or "" for one in held.subnets or []]
    if question.details.get("gateway") and _GATEWAY_SUBNET not in subnets:
        return refused(question, f"{text}, no gateway", "create its gateway first, or remove access.peer_gateway")
    return fine(question, text)


def _subnet(clients: Clients, question: Question, subnet: Subnet) -> Answer:
    match question.about:
        case "subnet-room":
            return _room(question, subnet)
        case "subnet-egress":
            return _egress(clients, question, subnet)
        case "egress-address":
            return _address(clients, question, subnet)
        case _:
            return _endpoint(question, subnet)


def _room(question: Question, subnet: Subnet) -> Answer:
    cidr = ipaddress.IPv4Network(question.details["cidr"])
    inside = [one for one in map(ipaddress.IPv4Network, subnet.ranges) if one.subnet_of(cidr)]
    ranges = ", ".join(subnet.ranges)
    if not inside:
        return refused(question, f"it has {ranges}", "write the range around the subnet as network.existing.cidr")
    left = sum(one.num_addresses - RESERVED for one in inside) - subnet.used
    found = f"{left:,} left of {ranges}"
    if left >= int(question.needed or 0):
        return fine(question, found)
    return refused(question, found, "use a wider subnet, or fewer nodes")


def _egress(clients: Clients, question: Question, subnet: Subnet) -> Answer:
    if question.details["egress"] == "nat":
        if subnet.gateway:
            return fine(question, f"NAT gateway {id_of(subnet.gateway).name}")
        fix = "attach a NAT gateway to it, or write network.existing.egress: routes"
        return refused(question, "no NAT gateway", fix, "az network vnet subnet update --nat-gateway GATEWAY")
    if not subnet.routes:
        fix = "attach a route table to it, or write network.existing.egress: nat"
        return refused(question, "no route table", fix, "az network vnet subnet update --route-table TABLE")
    place = id_of(subnet.routes)
    table = clients.of(place.subscription).network.route_tables.get(place.group, place.name)
    routes = [] if table.properties is None else table.properties.routes or []
    default = next(
        (
            one.properties
            for one in routes
            if one.properties is not None and one.properties.address_prefix == "0.0.0.0/0"
        ),
        None,
    )
    if default is None:
        return refused(question, f"{place.name} has no route for 0.0.0.0/0", "add one to your firewall or gateway")
    kind = text_of(default.next_hop_type)
    if kind in ("Internet", "None"):
        fix = "AKS needs a firewall or gateway there, not this kind"
        return refused(question, f"{place.name} sends 0.0.0.0/0 to {kind}", fix)
    return fine(question, f"{place.name} sends 0.0.0.0/0 to {kind} {default.next_hop_ip_address or ''}".rstrip())


def _address(clients: Clients, question: Question, subnet: Subnet) -> Answer:
    if question.details["egress"] != "nat":
        return unknown(question, "a firewall's address on the internet is not in its routes", "compare it yourself")
    if not subnet.gateway:
        return refused(question, "no NAT gateway", "attach one to the subnet")
    place = id_of(subnet.gateway)
    api = clients.of(place.subscription).network
    gateway = api.nat_gateways.get(place.group, place.name).properties
    if gateway is None or gateway.public_ip_prefixes:
        return unknown(question, "its NAT gateway has a range of addresses", "compare it with access.cidrs yourself")
    addresses: list[str] = []
    for one in gateway.public_ip_addresses or []:
        at = id_of(one.id or "")
        found = api.public_ip_addresses.get(at.group, at.name).properties
        if found is None or found.ip_address is None:
            raise CannotAsk(f"the address {at.name} of the NAT gateway is not assigned")
        addresses.append(found.ip_address)
    cidrs = [ipaddress.IPv4Network(text) for text in question.details["cidrs"].split()]
    outside = [one for one in addresses if not any(ipaddress.IPv4Address(one) in cidr for cidr in cidrs)]
    if outside or not addresses:
        wanted = ", ".join(f"{one}/32" for one in outside)
        return refused(
            question, ", ".join(addresses) or "no address", f"add {wanted} to access.cidrs" if wanted else ""
        )
    return fine(question, ", ".join(addresses))


def _endpoint(question: Question, subnet: Subnet) -> Answer:
    if any(one == _STORAGE or one == f"{_STORAGE}.Global" for one in subnet.endpoints):
        return fine(question, "there")
    place = id_of(question.subject)
    command = (
        f"az network vnet subnet update --resource-group {place.group} --vnet-name {place.parent} --name {place.name} "
        f"--service-endpoints {' '.join([*subnet.endpoints, _STORAGE])}"
    )
    return refused(question, ", ".join(subnet.endpoints) or "none", "add it: it is free", command)


def _lustre(question: Question, subnet: Subnet) -> Answer:
    """Its security group is not read: rules of subnets, machines and routes decide together."""
    widths = [ipaddress.IPv4Network(cidr).prefixlen for cidr in subnet.ranges]
    found = f"{', '.join(subnet.ranges)}, {subnet.used} addresses in use; its ports are not asked"
    if not widths or min(widths) > _WIDEST:
        return refused(question, found, f"use a subnet of /{_WIDEST} or wider")
    if subnet.used:
        return refused(question, found, "use a subnet with no other machines: a file system of this stack is fine")
    return fine(question, found)
