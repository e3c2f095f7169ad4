"""What Karpenter's controller may do on AWS.

Source: cloudformation.yaml of the getting-started guide, aws/karpenter-provider-aws v1.14.1, in our grouping: make what
carries the cluster's tag, touch nothing else, read what launches need.
"""

from __future__ import annotations

from typing import Any

__all__ = ["controller_statements"]


def controller_statements(*, cluster: str, cluster_arn: str, node_role_arn: str, region: str) -> list[dict[str, Any]]:
    """The controller's statements. cluster: name of the EKS cluster."""
    partition = cluster_arn.split(":")[1]
    ec2 = f"arn:{partition}:ec2:{region}:*"
    profiles = f"arn:{partition}:iam::*:instance-profile/*"
    owned = f"kubernetes.io/cluster/{cluster}"
    ours = {
        "StringEquals": {f"aws:ResourceTag/{owned}": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }
    made = {
        "StringEquals": {f"aws:RequestTag/{owned}": "owned", "aws:RequestTag/eks:eks-cluster-name": cluster},
        "StringLike": {"aws:RequestTag/karpenter.sh/nodepool": "*"},
    }
    parts = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
    profile_tags = {f"{owned}": "owned", "topology.kubernetes.io/region": region}

    def profile(kind: str, *actions: str) -> dict[str, Any]:
        condition = {"StringEquals": {f"aws:{kind}/{key}": value for key, value in profile_tags.items()}}
        return {"Effect": "Allow", "Action": list(actions), "Resource": profiles, "Condition": condition}

    return [
        {
            "Effect": "Allow",
            "Action": ["ec2:RunInstances", "ec2:CreateFleet"],
            "Resource": [
                f"arn:{partition}:ec2:{region}::image/*",
                f"arn:{partition}:ec2:{region}::snapshot/*",
                *(
                    f"{ec2}:{part}/*"
                    for part in ("security-group", "subnet", "capacity-reservation", "placement-group")
                ),
            ],
        },
        {
            "Effect": "Allow",
            "Action": ["ec2:RunInstances", "ec2:CreateFleet"],
            "Resource": f"{ec2}:launch-template/*",
            "Condition": ours,
        },
        {
            "Effect": "Allow",
            "Action": ["ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"],
            "Resource": [f"{ec2}:{part}/*" for part in parts],
            "Condition": made,
        },
        {
            "Effect": "Allow",
            "Action": ["ec2:CreateTags"],
            "Resource": [f"{ec2}:{part}/*" for part in parts],
            "Condition": {
                **made,
                "StringEquals": {
                    **made["StringEquals"],
                    "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
                },
            },
        },
        {
            "Effect": "Allow",
            "Action": ["ec2:CreateTags"],
            "Resource": f"{ec2}:instance/*",
            "Condition": {
                **ours,
                "ForAllValues:StringEquals": {
                    "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
                },
            },
        },
        {
            "Effect": "Allow",
            "Action": ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            "Resource": [f"{ec2}:instance/*", f"{ec2}:launch-template/*"],
            "Condition": ours,
        },
        {
            "Effect": "Allow",
            "Action": [
                f"ec2:Describe{what}"
                for what in (
                    "CapacityReservations",
                    "Images",
                    "Instances",
                    "InstanceStatus",
                    "InstanceTypeOfferings",
                    "InstanceTypes",
                    "LaunchTemplates",
                    "PlacementGroups",
                    "SecurityGroups",
                    "SpotPriceHistory",
                    "Subnets",
                )
            ],
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:RequestedRegion": region}},
        },
        {
            "Effect": "Allow",
            "Action": ["ssm:GetParameter"],
            "Resource": f"arn:{partition}:ssm:{region}::parameter/aws/service/*",
        },
        {"Effect": "Allow", "Action": ["pricing:GetProducts"], "Resource": "*"},
        {
            "Effect": "Allow",
            "Action": ["iam:PassRole"],
            "Resource": node_role_arn,
            "Condition": {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
        },
        profile("RequestTag", "iam:CreateInstanceProfile", "iam:TagInstanceProfile"),
        profile(
            "ResourceTag",
            "iam:AddRoleToInstanceProfile",
            "iam:RemoveRoleFromInstanceProfile",
            "iam:DeleteInstanceProfile",
        ),
        {"Effect": "Allow", "Action": ["iam:GetInstanceProfile"], "Resource": profiles},
        {"Effect": "Allow", "Action": ["iam:ListInstanceProfiles"], "Resource": "*"},
        {"Effect": "Allow", "Action": ["eks:DescribeCluster"], "Resource": cluster_arn},
    ]
