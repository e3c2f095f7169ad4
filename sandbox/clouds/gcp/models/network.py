"""VPCs and their resources. Addresses are from the documentation ranges of RFC 5737."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.model import LINKS, ManagedResource, made, models, number
from gpucluster.sandbox.clouds.model import random_hex


def _linked(managed: ManagedResource, name: str, under: str) -> dict[str, Any]:
    """A reference in the API's answer, a self link."""
    given = managed.inputs.get(name)
    return {name: f"{LINKS}{managed.path(given, under)}"} if given else {}


@models("gcp:compute/network:Network", id="projects/{project}/global/networks/{name}")
def network(managed: ManagedResource) -> Mapping[str, Any]:
    """The MTU is 1460 by default, 8896 in a VPC of the RoCE profiles; routes are regional by default.

    Sources: VPC documentation, "Maximum transmission unit"; Compute Engine API, networks.routingConfig.
    """
    numeric = managed.keep("numericId", number)
    is_roce = str(managed.inputs.get("networkProfile") or "").endswith("-roce")
    return {
        "mtu": managed.inputs.get("mtu") or (8896 if is_roce else 1460),
        "networkId": numeric,
        "numericId": numeric,
        "project": managed.project,
        "routingMode": managed.inputs.get("routingMode") or "REGIONAL",
        "selfLink": managed.link,
    }


@models("gcp:compute/subnetwork:Subnetwork", id="projects/{project}/regions/{region}/subnetworks/{name}")
def subnetwork(managed: ManagedResource) -> Mapping[str, Any]:
    block = managed.inputs.get("ipCidrRange")
    return {
        **made(managed),
        **_linked(managed, "network", "global/networks"),
        "fingerprint": random_hex(12),
        "gatewayAddress": str(ip_network(block, strict=False)[1]) if block else "",
        "privateIpv6GoogleAccess": managed.inputs.get("privateIpv6GoogleAccess") or "DISABLE_GOOGLE_ACCESS",
        "purpose": managed.inputs.get("purpose") or "PRIVATE",
        "region": managed.region,
        "stackType": managed.inputs.get("stackType") or "IPV4_ONLY",
        "subnetworkId": managed.keep("subnetworkId", lambda: int(random_hex(12), 16)),
    }


@models("gcp:compute/firewall:Firewall", id="projects/{project}/global/firewalls/{name}")
def firewall(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        **_linked(managed, "network", "global/networks"),
        "direction": managed.inputs.get("direction") or "INGRESS",
    }


@models("gcp:compute/route:Route", id="projects/{project}/global/routes/{name}")
def route(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), **_linked(managed, "network", "global/networks")}


@models("gcp:compute/router:Router", id="projects/{project}/regions/{region}/routers/{name}")
def router(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), **_linked(managed, "network", "global/networks"), "region": managed.region}


def _nat_id(managed: ManagedResource) -> str:
    router_name = str(managed.inputs["router"]).rsplit("/", 1)[-1]
    return f"{managed.project}/{managed.region}/{router_name}/{managed.name}"


@models(
    "gcp:compute/routerNat:RouterNat",
    id=_nat_id,
    defaults={
        "natIpAllocateOption": "AUTO_ONLY",
        "enableEndpointIndependentMapping": False,
        "autoNetworkTier": "PREMIUM",
    },
)
def router_nat(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "endpointTypes": managed.inputs.get("endpointTypes") or ["ENDPOINT_TYPE_VM"],
        "project": managed.project,
        "region": managed.region,
    }


@models("gcp:compute/globalAddress:GlobalAddress", id="projects/{project}/global/addresses/{name}")
def global_address(managed: ManagedResource) -> Mapping[str, Any]:
    prefix = int(managed.inputs.get("prefixLength") or 0)
    return {
        **made(managed),
        **_linked(managed, "network", "global/networks"),
        "address": managed.inputs.get("address") or managed.keep("address", lambda: _address(managed.id, prefix)),
        "labelFingerprint": random_hex(12),
        "prefixLength": prefix,
    }


@models("gcp:compute/address:Address", id="projects/{project}/regions/{region}/addresses/{name}")
def address(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "address": managed.inputs.get("address") or managed.keep("address", lambda: _address(managed.id, 0)),
        "addressId": managed.keep("addressId", number),
        "labelFingerprint": random_hex(12),
        "networkTier": managed.inputs.get("networkTier") or "PREMIUM",
        "region": managed.region,
    }


_PEERINGS: Final = {"servicenetworking.googleapis.com": "servicenetworking-googleapis-com"}


def _connection_id(managed: ManagedResource) -> str:
    """`network:service`, each escaped, as in the provider."""
    network_path = managed.path(managed.inputs["network"], "global/networks")
    return f"{network_path.replace('/', '%2F')}:{managed.inputs['service']}"


@models("gcp:servicenetworking/connection:Connection", id=_connection_id)
def connection(managed: ManagedResource) -> Mapping[str, Any]:
    service = str(managed.inputs["service"])
    return {"peering": _PEERINGS.get(service, service.replace(".", "-"))}


@models("gcp:compute/resourcePolicy:ResourcePolicy", id="projects/{project}/regions/{region}/resourcePolicies/{name}")
def resource_policy(managed: ManagedResource) -> Mapping[str, Any]:
    return {"project": managed.project, "region": managed.region, "selfLink": managed.link}


def _address(seed: str, prefix: int) -> str:
    """An address of 203.0.113.0/24, which no host uses; a range of `prefix` bits is in 10.0.0.0/8."""
    number = int(hashlib.sha256(seed.encode()).hexdigest()[:8], 16)
    if not prefix:
        return f"203.0.113.{number % 254 + 1}"
    return str(ip_network((0x0A000000 | (number & 0x00FFFFFF), prefix), strict=False)[0])
