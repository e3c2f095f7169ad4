"""The Compute Engine resources in use. `from pulumi_gcp import compute` would import 280 modules for these seven."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpucluster.components.resources.lazy_sdk import resources_of

if TYPE_CHECKING:
    from pulumi_gcp.compute import (
        Firewall,
        FirewallAllowArgs,
        GlobalAddress,
        Network,
        ResourcePolicy,
        ResourcePolicyGroupPlacementPolicyArgs,
        Router,
        RouterNat,
        RouterNatSubnetworkArgs,
        Subnetwork,
        SubnetworkLogConfigArgs,
        SubnetworkSecondaryIpRangeArgs,
    )

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

if not TYPE_CHECKING:
    __getattr__ = resources_of("pulumi_gcp.compute", __all__, __name__)
