"""The KMS key for envelope encryption of Kubernetes secrets, in addition to AWS's disk encryption."""

from __future__ import annotations

import pulumi
from pulumi_aws import iam, kms


def secrets_key(
    name: str, existing: str | None, role_name: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> tuple[pulumi.Input[str], iam.RolePolicy]:
    """The ARN of a key with yearly rotation, and the control plane's permission to use only this key.

    EKS can't remove the key from a cluster: a deleted key makes its secrets unreadable forever. So a deletion waits the
    longest time, 30 days, during which the key costs nothing. existing: ARN of a key to use instead.
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
