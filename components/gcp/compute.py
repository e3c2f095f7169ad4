"""The resources of Compute Engine in use. `from pulumi_gcp import compute` would import 280 modules for these seven."""

from __future__ import annotations

from gpucluster.components.lazy_sdk import without_the_rest

with without_the_rest("pulumi_gcp.compute"):
    from pulumi_gcp.compute._inputs import (
        FirewallAllowArgs,
        ResourcePolicyGroupPlacementPolicyArgs,
        RouterNatSubnetworkArgs,
        SubnetworkLogConfigArgs,
        SubnetworkSecondaryIpRangeArgs,
    )
    from pulumi_gcp.compute.firewall import Firewall
    from pulumi_gcp.compute.global_address import GlobalAddress
    from pulumi_gcp.compute.network import Network
    from pulumi_gcp.compute.resource_policy import ResourcePolicy
    from pulumi_gcp.compute.router import Router
    from pulumi_gcp.compute.router_nat import RouterNat
    from pulumi_gcp.compute.subnetwork import Subnetwork

__all__ = [
    "Firewall",
    "FirewallAllowArgs",
    "GlobalAddress",
    "Network",
    "ResourcePolicy",
    "ResourcePolicyGroupPlacementPolicyArgs",
    "Router",
    "RouterNat",
    "RouterNatSubnetworkArgs",
    "Subnetwork",
    "SubnetworkLogConfigArgs",
    "SubnetworkSecondaryIpRangeArgs",
]
