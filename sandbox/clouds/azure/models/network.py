"""Virtual networks and what is in them. Public addresses are from the documentation range 203.0.113.0/24 (RFC 5737)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.azure.identity import guid
from gpucluster.sandbox.clouds.azure.model import Thing, models
from gpucluster.sandbox.clouds.azure.outputs import etag, made
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []


def _network(thing: Thing) -> dict[str, Any]:
    """What Microsoft.Network says of everything it makes."""
    return {**made(thing), "etag": etag(), "resourceGuid": thing.keep("resourceGuid", guid)}


@models("azure-native:network:VirtualNetwork")
def virtual_network(thing: Thing) -> Mapping[str, Any]:
    """Subnets that are resources of their own are kept by the provider when the network is written."""
    return {
        **_network(thing),
        "enableDdosProtection": thing.inputs.get("enableDdosProtection") or False,
        "privateEndpointVNetPolicies": thing.inputs.get("privateEndpointVNetPolicies") or "Disabled",
        "subnets": thing.inputs.get("subnets") or thing.previous.get("subnets") or [],
        "virtualNetworkPeerings": thing.inputs.get("virtualNetworkPeerings") or [],
    }


@models("azure-native:network:Subnet")
def subnet(thing: Thing) -> Mapping[str, Any]:
    return {
        **_network(thing),
        "delegations": [
            {"provisioningState": "Succeeded", "actions": [], **mapping(item)}
            for item in items(thing.inputs.get("delegations"))
        ],
        "privateEndpointNetworkPolicies": thing.inputs.get("privateEndpointNetworkPolicies") or "Disabled",
        "privateLinkServiceNetworkPolicies": thing.inputs.get("privateLinkServiceNetworkPolicies") or "Enabled",
    }


@models("azure-native:network:VirtualNetworkPeering")
def virtual_network_peering(thing: Thing) -> Mapping[str, Any]:
    """One direction: Azure connects nothing before the other is there (virtual network API, peeringState)."""
    remote = str(mapping(thing.inputs.get("remoteVirtualNetwork")).get("id"))
    back = thing.ledger.mentioning({thing.token}, thing.parent)
    state = "Connected" if any(entry.id.startswith(f"{remote}/") for entry in back) else "Initiated"
    return {**_network(thing), "peeringState": state}


@models("azure-native:network:NatGateway")
def nat_gateway(thing: Thing) -> Mapping[str, Any]:
    """A gateway closes idle connections after 4 minutes (NAT Gateway API, idleTimeoutInMinutes)."""
    return {**_network(thing), "idleTimeoutInMinutes": thing.inputs.get("idleTimeoutInMinutes") or 4, "subnets": []}


@models("azure-native:network:PublicIPAddress")
def public_ip_address(thing: Thing) -> Mapping[str, Any]:
    """A static address is there at once, a dynamic one when something uses it.

    Source: Azure virtual network API, publicIPAllocationMethod, idleTimeoutInMinutes.
    """
    method = thing.inputs.get("publicIPAllocationMethod") or "Dynamic"
    address = thing.keep("ipAddress", lambda: _free_address(thing)) if method == "Static" else None
    return {
        **_network(thing),
        "idleTimeoutInMinutes": thing.inputs.get("idleTimeoutInMinutes") or 4,
        "ipAddress": address,
        "publicIPAddressVersion": thing.inputs.get("publicIPAddressVersion") or "IPv4",
        "publicIPAllocationMethod": method,
        "sku": {"tier": "Regional", "name": "Basic", **mapping(thing.inputs.get("sku"))},
    }


@models("azure-native:network:NetworkSecurityGroup")
def network_security_group(thing: Thing) -> Mapping[str, Any]:
    rules = items(thing.inputs.get("securityRules")) or items(thing.previous.get("securityRules"))
    return {**_network(thing), "securityRules": rules, "defaultSecurityRules": []}


def _free_address(thing: Thing) -> str:
    first = int(hashlib.sha256(thing.id.encode()).hexdigest()[:8], 16)
    hosts = (f"203.0.113.{(first + at) % 254 + 1}" for at in range(254))
    return next(host for host in hosts if not thing.ledger.mentioning({thing.token}, host))
