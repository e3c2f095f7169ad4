"""The provider of a cluster's resources."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws

from gpucluster.components.aws.location import Location


def provider(name: str, location: Location, opts: pulumi.ResourceOptions | None = None) -> aws.Provider:
    """The provider for the location of a cluster, regardless of the stack's configuration; with a login of another
    account than the location's it refuses every operation, also in a preview.
    """
    accounts = None if location.account is None else [location.account]
    roles = None if location.role is None else [aws.ProviderAssumeRoleArgs(role_arn=location.role)]
    return aws.Provider(name, region=location.region, allowed_account_ids=accounts, assume_roles=roles, opts=opts)
