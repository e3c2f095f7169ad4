"""The KMS key for envelope encryption of Kubernetes secrets, on top of AWS's disk encryption."""

from __future__ import annotations

import pulumi
from pulumi_aws import iam, kms


def secrets_key(
    name: str, existing: str | None, role_name: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> tuple[pulumi.Input[str], iam.RolePolicy]:
    """The ARN of a key that is rotated every year, and the control plane's right to use it and nothing else.

    EKS can't take the key back from a cluster: a deleted one makes its secrets unreadable for good. So a deletion waits
    for the longest time, 30 days, in which the key costs nothing. existing: ARN of a key that takes its place.
    """
    key = existing or _key(name, opts).arn
    # Source: terraform-aws-modules/terraform-aws-eks v21, cluster encryption policy.
    statement = {
        "Effect": "Allow",
        "Action": ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"],
        "Resource": key,
    }
    use = iam.RolePolicy(
        f"{name}-use",
        role=role_name,
        policy=pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [statement]}),
        opts=opts,
    )
    return key, use


def _key(name: str, opts: pulumi.ResourceOptions) -> kms.Key:
    return kms.Key(
        name,
        description="Kubernetes secrets of one EKS cluster",
        enable_key_rotation=True,
        deletion_window_in_days=30,
        opts=opts,
    )
