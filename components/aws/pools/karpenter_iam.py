"""IAM permissions of Karpenter's controller, in several managed policies because of their size limit.

Source: cloudformation.yaml of the getting-started guide, aws/karpenter-provider-aws v1.14.1, statement by statement.
The policy for zonal shifts is not included, because the setting that needs it is off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpucluster.components.aws.location import ec2_principal

POLICIES = ("node-lifecycle", "iam-integration", "eks-integration", "interruption", "resource-discovery")

_LAUNCHED = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")

Statements = Sequence[Mapping[str, Any]]


def controller_policies(
    *, cluster: str, cluster_arn: str, node_role_arn: str, queue_arn: str, region: str
) -> dict[str, Statements]:
    """Statements by policy, whose names are POLICIES.

    cluster: name of the EKS cluster. queue_arn: the queue of interruption events.
    """
    partition, account = cluster_arn.split(":")[1], cluster_arn.split(":")[4]
    return {
        "node-lifecycle": _node_lifecycle(cluster, f"arn:{partition}:ec2:{region}"),
        "iam-integration": _iam_integration(
            cluster, region, node_role_arn, f"arn:{partition}:iam::{account}:instance-profile/*"
        ),
        "eks-integration": [_allow("eks:DescribeCluster", on=cluster_arn)],
        "interruption": [_allow("sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage", on=queue_arn)],
        "resource-discovery": _resource_discovery(partition, account, region),
    }


def _allow(*actions: str, on: str | Sequence[str], only_if: Mapping[str, Any] | None = None) -> dict[str, Any]:
    statement: dict[str, Any] = {"Effect": "Allow", "Action": list(actions), "Resource": on}
    return {**statement, "Condition": only_if} if only_if else statement


def _node_lifecycle(cluster: str, ec2: str) -> Statements:
    """Launch from any source; create and delete only resources with the tags of the cluster and of a pool."""
    owned = f"kubernetes.io/cluster/{cluster}"
    tagged = {
        "StringEquals": {f"aws:ResourceTag/{owned}": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }
    requested = {f"aws:RequestTag/{owned}": "owned", "aws:RequestTag/eks:eks-cluster-name": cluster}
    requested_pool = {"aws:RequestTag/karpenter.sh/nodepool": "*"}
    launched = [f"{ec2}:*:{part}/*" for part in _LAUNCHED]
    creating = {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]}
    return [
        _allow(
            "ec2:RunInstances",
            "ec2:CreateFleet",
            on=[
                f"{ec2}::image/*",
                f"{ec2}::snapshot/*",
                *(
                    f"{ec2}:*:{part}/*"
                    for part in ("security-group", "subnet", "capacity-reservation", "placement-group")
                ),
            ],
        ),
        _allow("ec2:RunInstances", "ec2:CreateFleet", on=f"{ec2}:*:launch-template/*", only_if=tagged),
        _allow(
            "ec2:RunInstances",
            "ec2:CreateFleet",
            "ec2:CreateLaunchTemplate",
            on=launched,
            only_if={"StringEquals": requested, "StringLike": requested_pool},
        ),
        _allow(
            "ec2:CreateTags",
            on=launched,
            only_if={"StringEquals": {**requested, **creating}, "StringLike": requested_pool},
        ),
        _allow(
            "ec2:CreateTags",
            on=f"{ec2}:*:instance/*",
            only_if={
                **tagged,
                "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": cluster},
                "ForAllValues:StringEquals": {
                    "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
                },
            },
        ),
        _allow(
            "ec2:TerminateInstances",
            "ec2:DeleteLaunchTemplate",
            on=[f"{ec2}:*:instance/*", f"{ec2}:*:launch-template/*"],
            only_if=tagged,
        ),
    ]


def _iam_integration(cluster: str, region: str, node_role_arn: str, profiles: str) -> Statements:
    """Give machines only the node role, through instance profiles with the cluster's tags."""

    def condition(*kinds: str) -> dict[str, Any]:
        tags = {f"kubernetes.io/cluster/{cluster}": "owned", "topology.kubernetes.io/region": region}
        equal = {f"aws:{kind}/{key}": value for kind in kinds for key, value in tags.items()}
        if "RequestTag" in kinds:
            equal["aws:RequestTag/eks:eks-cluster-name"] = cluster
        return {
            "StringEquals": equal,
            "StringLike": {f"aws:{kind}/karpenter.k8s.aws/ec2nodeclass": "*" for kind in kinds},
        }

    return [
        _allow(
            "iam:PassRole", on=node_role_arn, only_if={"StringEquals": {"iam:PassedToService": ec2_principal(region)}}
        ),
        _allow("iam:CreateInstanceProfile", on=profiles, only_if=condition("RequestTag")),
        _allow("iam:TagInstanceProfile", on=profiles, only_if=condition("ResourceTag", "RequestTag")),
        _allow(
            "iam:AddRoleToInstanceProfile",
            "iam:RemoveRoleFromInstanceProfile",
            "iam:DeleteInstanceProfile",
            on=profiles,
            only_if=condition("ResourceTag"),
        ),
    ]


def _resource_discovery(partition: str, account: str, region: str) -> Statements:
    """Read facts needed for a launch."""
    described = (
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
    return [
        _allow(
            *(f"ec2:Describe{what}" for what in described),
            on="*",
            only_if={"StringEquals": {"aws:RequestedRegion": region}},
        ),
        _allow("ssm:GetParameter", on=f"arn:{partition}:ssm:{region}::parameter/aws/service/*"),
        _allow("pricing:GetProducts", on="*"),
        _allow("iam:ListInstanceProfiles", on="*"),
        _allow("iam:GetInstanceProfile", on=f"arn:{partition}:iam::{account}:instance-profile/*"),
    ]
