"""The provider of a cluster's resources."""

from __future__ import annotations

import pulumi
import pulumi_gcp as gcp

from gpucluster.components.gcp.location import Location


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> gcp.Provider:
    """One for the place of a cluster, whatever the configuration of the stack says of another."""
    return gcp.Provider(name, project=location.project, region=location.region, zone=location.zone, opts=opts)
