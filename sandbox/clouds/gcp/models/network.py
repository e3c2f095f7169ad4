"""VPCs and what is in them. Addresses are from the documentation ranges of RFC 5737."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.identity import LINKS
from gpucluster.sandbox.clouds.gcp.made import made, number
from gpucluster.sandbox.clouds.gcp.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex

__all__: list[str] = []


def _linked(thing: Thing, name: str, under: str) -> dict[str, Any]:
    """A reference as the API answers it, a self link."""
    given = thing.inputs.get(name)
    return {name: f"{LINKS}{thing.path(given, under)}"} if given else {}


@models("gcp:compute/network:Network", id="projects/{project}/global/networks/{name}")
def network(thing: Thing) -> Mapping[str, Any]:
    """The MTU is 1460 where none is asked, 8896 in a VPC of the RoCE profiles; routes are regional by default.

    Sources: VPC documentation, "Maximum transmission unit"; Compute Engine API, networks.routingConfig.
    """
    numeric = thing.keep("numericId", number)
    is_roce = str(thing.inputs.get("networkProfile") or "").endswith("-roce")
    return {
        "mtu": thing.inputs.get("mtu") or (8896 if is_roce else 1460),
        "networkId": numeric,
        "numericId": numeric,
        "project": thing.project,
        "routingMode": thing.inputs.get("routingMode") or "REGIONAL",
        "selfLink": thing.link,
    }


@models("gcp:compute/subnetwork:Subnetwork", id="projects/{project}/regions/{region}/subnetworks/{name}")
def subnetwork(thing: Thing) -> Mapping[str, Any]:
    block = thing.inputs.get("ipCidrRange")
    return {
        **made(thing),
        **_linked(thing, "network", "global/networks"),
        "fingerprint": random_hex(12),
        "gatewayAddress": str(ip_network(block, strict=False)[1]) if block else "",
        "privateIpv6GoogleAccess": thing.inputs.get("privateIpv6GoogleAccess") or "DISABLE_GOOGLE_ACCESS",
        "purpose": thing.inputs.get("purpose") or "PRIVATE",
        "region": thing.region,
        "stackType": thing.inputs.get("stackType") or "IPV4_ONLY",
        "subnetworkId": thing.keep("subnetworkId", lambda: int(random_hex(12), 16)),
    }


@models("gcp:compute/firewall:Firewall", id="projects/{project}/global/firewalls/{name}")
def firewall(thing: Thing) -> Mapping[str, Any]:
    return {
        **made(thing),
        **_linked(thing, "network", "global/networks"),
        "direction": thing.inputs.get("direction") or "INGRESS",
    }


@models("gcp:compute/route:Route", id="projects/{project}/global/routes/{name}")
def route(thing: Thing) -> Mapping[str, Any]:
    return {**made(thing), **_linked(thing, "network", "global/networks")}


@models("gcp:compute/router:Router", id="projects/{project}/regions/{region}/routers/{name}")
def router(thing: Thing) -> Mapping[str, Any]:
    return {**made(thing), **_linked(thing, "network", "global/networks"), "region": thing.region}


def _nat_id(thing: Thing) -> str:
    router_name = str(thing.inputs["router"]).rsplit("/", 1)[-1]
    return f"{thing.project}/{thing.region}/{router_name}/{thing.name}"


@models(
    "gcp:compute/routerNat:RouterNat",
    id=_nat_id,
    defaults={
        "natIpAllocateOption": "AUTO_ONLY",
        "enableEndpointIndependentMapping": False,
        "autoNetworkTier": "PREMIUM",
    },
)
def router_nat(thing: Thing) -> Mapping[str, Any]:
    return {
        "endpointTypes": thing.inputs.get("endpointTypes") or ["ENDPOINT_TYPE_VM"],
        "project": thing.project,
        "region": thing.region,
    }


@models("gcp:compute/globalAddress:GlobalAddress", id="projects/{project}/global/addresses/{name}")
def global_address(thing: Thing) -> Mapping[str, Any]:
    prefix = int(thing.inputs.get("prefixLength") or 0)
    return {
        **made(thing),
        **_linked(thing, "network", "global/networks"),
        "address": thing.inputs.get("address") or thing.keep("address", lambda: _address(thing.id, prefix)),
        "labelFingerprint": random_hex(12),
        "prefixLength": prefix,
    }


@models("gcp:compute/address:Address", id="projects/{project}/regions/{region}/addresses/{name}")
def address(thing: Thing) -> Mapping[str, Any]:
    return {
        **made(thing),
        "address": thing.inputs.get("address") or thing.keep("address", lambda: _address(thing.id, 0)),
        "addressId": thing.keep("addressId", number),
        "labelFingerprint": random_hex(12),
        "networkTier": thing.inputs.get("networkTier") or "PREMIUM",
        "region": thing.region,
    }


_PEERINGS: Final = {"servicenetworking.googleapis.com": "servicenetworking-googleapis-com"}


def _connection_id(thing: Thing) -> str:
    """`network:service`, each escaped, as the provider builds it."""
    network_path = thing.path(thing.inputs["network"], "global/networks")
    return f"{network_path.replace('/', '%2F')}:{thing.inputs['service']}"


@models("gcp:servicenetworking/connection:Connection", id=_connection_id)
def connection(thing: Thing) -> Mapping[str, Any]:
    service = str(thing.inputs["service"])
    return {"peering": _PEERINGS.get(service, service.replace(".", "-"))}


@models("gcp:compute/resourcePolicy:ResourcePolicy", id="projects/{project}/regions/{region}/resourcePolicies/{name}")
def resource_policy(thing: Thing) -> Mapping[str, Any]:
    return {"project": thing.project, "region": thing.region, "selfLink": thing.link}


def _address(seed: str, prefix: int) -> str:
    """An address of 203.0.113.0/24, which no host has; a range of `prefix` bits lies in 10.0.0.0/8."""
    number = int(hashlib.sha256(seed.encode()).hexdigest()[:8], 16)
    if not prefix:
        return f"203.0.113.{number % 254 + 1}"
    return str(ip_network((0x0A000000 | (number & 0x00FFFFFF), prefix), strict=False)[0])
