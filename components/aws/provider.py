"""The provider of a cluster's resources."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from gpucluster.components.aws.location import Location

__all__ = ["provider"]


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> aws.Provider:
    """One for the place of a cluster, whatever the configuration of the stack says of another."""
    return aws.Provider(name, region=location.region, opts=opts)
