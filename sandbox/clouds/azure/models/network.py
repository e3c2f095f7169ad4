"""Virtual networks and their resources. Public addresses are from the documentation range 203.0.113.0/24 (RFC 5737)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.model import ManagedResource, etag, guid, made, models


def _network(managed: ManagedResource) -> dict[str, Any]:
    """Common outputs of Microsoft.Network."""
    return {**made(managed), "etag": etag(), "resourceGuid": managed.keep("resourceGuid", guid)}


@models("azure-native:network:VirtualNetwork")
def virtual_network(managed: ManagedResource) -> Mapping[str, Any]:
    """The provider keeps subnets that are separate resources when it writes the network."""
    return {
        **_network(managed),
        "enableDdosProtection": managed.inputs.get("enableDdosProtection") or False,
        "privateEndpointVNetPolicies": managed.inputs.get("privateEndpointVNetPolicies") or "Disabled",
        "subnets": managed.inputs.get("subnets") or managed.previous.get("subnets") or [],
        "virtualNetworkPeerings": managed.inputs.get("virtualNetworkPeerings") or [],
    }


@models("azure-native:network:Subnet")
def subnet(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **_network(managed),
        "delegations": [
            {"provisioningState": "Succeeded", "actions": [], **mapping(item)}
            for item in items(managed.inputs.get("delegations"))
        ],
        "privateEndpointNetworkPolicies": managed.inputs.get("privateEndpointNetworkPolicies") or "Disabled",
        "privateLinkServiceNetworkPolicies": managed.inputs.get("privateLinkServiceNetworkPolicies") or "Enabled",
    }


@models("azure-native:network:VirtualNetworkPeering")
def virtual_network_peering(managed: ManagedResource) -> Mapping[str, Any]:
    """One direction: Azure connects nothing before the opposite peering exists (virtual network API, peeringState)."""
    remote = str(mapping(managed.inputs.get("remoteVirtualNetwork")).get("id"))
    back = managed.ledger.mentioning({managed.token}, managed.parent)
    state = "Connected" if any(entry.id.startswith(f"{remote}/") for entry in back) else "Initiated"
    return {**_network(managed), "peeringState": state}


@models("azure-native:network:NatGateway")
def nat_gateway(managed: ManagedResource) -> Mapping[str, Any]:
    """A gateway closes idle connections after 4 minutes (NAT Gateway API, idleTimeoutInMinutes)."""
    return {**_network(managed), "idleTimeoutInMinutes": managed.inputs.get("idleTimeoutInMinutes") or 4, "subnets": []}


@models("azure-native:network:PublicIPAddress")
def public_ip_address(managed: ManagedResource) -> Mapping[str, Any]:
    """A static address is allocated at once, a dynamic one at its first use.

    Source: Azure virtual network API, publicIPAllocationMethod, idleTimeoutInMinutes.
    """
    method = managed.inputs.get("publicIPAllocationMethod") or "Dynamic"
    address = managed.keep("ipAddress", lambda: _free_address(managed)) if method == "Static" else None
    return {
        **_network(managed),
        "idleTimeoutInMinutes": managed.inputs.get("idleTimeoutInMinutes") or 4,
        "ipAddress": address,
        "publicIPAddressVersion": managed.inputs.get("publicIPAddressVersion") or "IPv4",
        "publicIPAllocationMethod": method,
        "sku": {"tier": "Regional", "name": "Basic", **mapping(managed.inputs.get("sku"))},
    }


@models("azure-native:network:NetworkSecurityGroup")
def network_security_group(managed: ManagedResource) -> Mapping[str, Any]:
    rules = items(managed.inputs.get("securityRules")) or items(managed.previous.get("securityRules"))
    return {**_network(managed), "securityRules": rules, "defaultSecurityRules": []}


def _free_address(managed: ManagedResource) -> str:
    first = int(hashlib.sha256(managed.id.encode()).hexdigest()[:8], 16)
    hosts = (f"203.0.113.{(first + at) % 254 + 1}" for at in range(254))
    return next(host for host in hosts if not managed.ledger.mentioning({managed.token}, host))
