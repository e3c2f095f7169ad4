"""IAM roles of the control plane, of nodes and of pods; and principals that manage a cluster or submit its jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_aws import eks, iam

from gpucluster.components.aws.location import ec2_principal, partition
from gpucluster.components.kubernetes.submitters import Submitter

# Source: getting-started cloudformation.yaml of aws/karpenter-provider-aws v1.14.1 (node role).
_NODE_POLICIES = {
    "worker": "AmazonEKSWorkerNodePolicy",
    "cni": "AmazonEKS_CNI_Policy",
    "registry": "AmazonEC2ContainerRegistryPullOnly",
    "ssm": "AmazonSSMManagedInstanceCore",
}


def service_role(
    name: str, service: str, policies: Mapping[str, str], region: str, opts: pulumi.ResourceOptions
) -> tuple[iam.Role, list[pulumi.Resource]]:
    """A role that one AWS service assumes, and its attachments, on which others depend.

    policies: suffix of the attachment -> name of an AWS managed policy.
    """
    role = _role(name, {"Service": service}, ["sts:AssumeRole"], opts)
    attachments: list[pulumi.Resource] = [
        iam.RolePolicyAttachment(
            f"{name}-{suffix}",
            role=role.name,
            policy_arn=f"arn:{partition(region)}:iam::aws:policy/{policy}",
            opts=opts,
        )
        for suffix, policy in policies.items()
    ]
    return role, attachments


def node_role(name: str, region: str, opts: pulumi.ResourceOptions) -> tuple[iam.Role, list[pulumi.Resource]]:
    """The role of EC2 nodes, and its attachments."""
    return service_role(name, ec2_principal(region), _NODE_POLICIES, region, opts)


def pod_role(
    name: str,
    *,
    cluster_name: pulumi.Input[str],
    namespace: str,
    service_account: str,
    statements: pulumi.Input[Sequence[Mapping[str, Any]]],
    opts: pulumi.ResourceOptions,
) -> tuple[iam.Role, list[pulumi.Resource]]:
    """A role that one Kubernetes service account gets by EKS Pod Identity, with exactly these statements."""
    role, association = _pod_role(name, cluster_name, namespace, service_account, opts)
    policy = iam.RolePolicy(f"{name}-policy", role=role.name, policy=_document(statements), opts=opts)
    return role, [policy, association]


def pod_role_of_policies(
    name: str,
    *,
    cluster_name: pulumi.Input[str],
    namespace: str,
    service_account: str,
    policies: Mapping[str, pulumi.Input[Sequence[Mapping[str, Any]]]],
    opts: pulumi.ResourceOptions,
) -> tuple[iam.Role, list[pulumi.Resource]]:
    """Like `pod_role`, for statements that exceed the size of one policy.

    policies: suffix of a managed policy -> its statements.
    """
    role, association = _pod_role(name, cluster_name, namespace, service_account, opts)
    grants: list[pulumi.Resource] = [association]
    for suffix, statements in policies.items():
        full = f"{name}-{suffix}"
        policy = iam.Policy(full, policy=_document(statements), opts=opts)
        grants.append(iam.RolePolicyAttachment(f"{full}-attachment", role=role.name, policy_arn=policy.arn, opts=opts))
    return role, grants


def managed_pod_role(
    name: str,
    policy: str,
    *,
    cluster_name: pulumi.Input[str],
    region: str,
    namespace: str,
    service_account: str,
    opts: pulumi.ResourceOptions,
) -> tuple[iam.Role, list[pulumi.Resource]]:
    """Like `pod_role`, with a policy of AWS's own. policy: its path and name."""
    role, association = _pod_role(name, cluster_name, namespace, service_account, opts)
    arn = f"arn:{partition(region)}:iam::aws:policy/{policy}"
    return role, [iam.RolePolicyAttachment(f"{name}-policy", role=role.name, policy_arn=arn, opts=opts), association]


def _pod_role(
    name: str,
    cluster_name: pulumi.Input[str],
    namespace: str,
    service_account: str,
    opts: pulumi.ResourceOptions,
) -> tuple[iam.Role, eks.PodIdentityAssociation]:
    role = _role(name, {"Service": "pods.eks.amazonaws.com"}, ["sts:AssumeRole", "sts:TagSession"], opts)
    association = eks.PodIdentityAssociation(
        f"{name}-association",
        cluster_name=cluster_name,
        namespace=namespace,
        service_account=service_account,
        role_arn=role.arn,
        opts=opts,
    )
    return role, association


def _document(statements: pulumi.Input[Sequence[Mapping[str, Any]]]) -> pulumi.Output[str]:
    return pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": statements})


def _role(name: str, principal: Mapping[str, str], actions: Sequence[str], opts: pulumi.ResourceOptions) -> iam.Role:
    statement = {"Effect": "Allow", "Principal": principal, "Action": list(actions)}
    return iam.Role(
        name,
        assume_role_policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
        opts=opts,
    )


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
