"""IAM principals that submit jobs: an access entry maps each to Kubernetes groups and grants no other permissions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pulumi
from pulumi_aws import eks

from gpucluster.components.kubernetes.submitters import Submitter


def group_of(namespace: str) -> Submitter:
    """The submitters of a namespace. EKS accepts every group name that does not begin with `system:`.

    Source: terraform-aws-modules/terraform-aws-eks issue 2915, the error of CreateAccessEntry.
    """
    return Submitter(name=f"gpucluster:{namespace}")


def submitter_access(
    name: str,
    memberships: Mapping[str, Sequence[str]],
    *,
    cluster_name: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> None:
    """An access entry for each principal, with no policy. memberships: ARN -> namespaces."""
    for arn, namespaces in memberships.items():
        full = f"{name}-{re.sub(r'[^A-Za-z0-9]+', '-', arn.split('::')[-1])}"
        eks.AccessEntry(
            full,
            cluster_name=cluster_name,
            principal_arn=arn,
            type="STANDARD",
            kubernetes_groups=[group_of(namespace).name for namespace in namespaces],
            opts=opts,
        )
