"""IAM principals that manage a cluster or submit its jobs: an access entry maps each to its rights."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pulumi
from pulumi_aws import eks

from gpucluster.components.kubernetes.teams.submitters import Submitter

_ADMIN = "cluster-access-policy/AmazonEKSClusterAdminPolicy"


def admin_access(
    name: str, principals: Sequence[str], cluster_name: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> None:
    """An access entry with all permissions for each principal."""
    for arn in principals:
        full = _name(name, arn)
        entry = eks.AccessEntry(full, cluster_name=cluster_name, principal_arn=arn, type="STANDARD", opts=opts)
        eks.AccessPolicyAssociation(
            f"{full}-rights",
            cluster_name=cluster_name,
            principal_arn=entry.principal_arn,
            policy_arn=f"arn:{arn.split(':')[1]}:eks::aws:{_ADMIN}",
            access_scope=eks.AccessPolicyAssociationAccessScopeArgs(type="cluster"),
            opts=opts,
        )


def submitter_access(
    name: str,
    memberships: Mapping[str, Sequence[str]],
    cluster_name: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> None:
    """An access entry for each principal: Kubernetes groups, and no policy. memberships: ARN -> namespaces."""
    for arn, namespaces in memberships.items():
        eks.AccessEntry(
            _name(name, arn),
            cluster_name=cluster_name,
            principal_arn=arn,
            type="STANDARD",
            kubernetes_groups=[group_of(namespace).name for namespace in namespaces],
            opts=opts,
        )


def group_of(namespace: str) -> Submitter:
    """The submitters of a namespace. EKS accepts every group name that does not begin with `system:`.

    Source: terraform-aws-modules/terraform-aws-eks issue 2915, the error of CreateAccessEntry.
    """
    return Submitter(name=f"gpucluster:{namespace}")


def _name(name: str, arn: str) -> str:
    """Named by principal, not by position: removing one keeps the rest."""
    return f"{name}-{re.sub(r'[^A-Za-z0-9]+', '-', arn.split('::')[-1])}"
