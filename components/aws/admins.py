"""IAM principals with all permissions in the cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pulumi
from pulumi_aws import eks

_ADMIN = "cluster-access-policy/AmazonEKSClusterAdminPolicy"


def admin_access(name: str, principals: Sequence[str], cluster: eks.Cluster, opts: pulumi.ResourceOptions) -> None:
    """An access entry for each principal. Named by principal, not by position: removing one keeps the rest."""
    for arn in principals:
        partition = arn.split(":")[1]
        full = f"{name}-{re.sub(r'[^A-Za-z0-9]+', '-', arn.split('::')[-1])}"
        entry = eks.AccessEntry(full, cluster_name=cluster.name, principal_arn=arn, type="STANDARD", opts=opts)
        eks.AccessPolicyAssociation(
            f"{full}-rights",
            cluster_name=cluster.name,
            principal_arn=entry.principal_arn,
            policy_arn=f"arn:{partition}:eks::aws:{_ADMIN}",
            access_scope=eks.AccessPolicyAssociationAccessScopeArgs(type="cluster"),
            opts=opts,
        )
