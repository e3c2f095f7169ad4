"""The provider of a cluster's resources."""

from __future__ import annotations

import pulumi
import pulumi_azure_native as azure

from gpucluster.components.azure.location import Location


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> azure.Provider:
    """The provider for the location of a cluster, regardless of the stack's configuration."""
    return azure.Provider(name, subscription_id=location.subscription, location=location.region, opts=opts)
