"""The provider of a cluster's resources."""

from __future__ import annotations

import pulumi
import pulumi_gcp as gcp

from gpucluster.components.gcp.location import Location


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> gcp.Provider:
    """The provider for the location of a cluster, regardless of the stack's configuration."""
    return gcp.Provider(name, project=location.project, region=location.region, zone=location.zone, opts=opts)
