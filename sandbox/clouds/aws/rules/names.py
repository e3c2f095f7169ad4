"""Unique names, and each API's error for a duplicate.

Sources: the errors of CreateRole and CreatePolicy (IAM API), CreateCluster, CreateNodegroup, CreateAddon and
CreateAccessEntry (EKS API), the EC2 API error codes, CreateBucket (S3 API), CreateAlias (KMS API) and CreateLogGroup
(CloudWatch Logs API).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

# type -> operation, HTTP status, error code, message; the name is unique in the account or region.
_UNIQUE: Final = {
    "aws:iam/role:Role": ("IAM: CreateRole", 409, "EntityAlreadyExists", "Role with name {name} already exists."),
    "aws:iam/policy:Policy": (
        "IAM: CreatePolicy",
        409,
        "EntityAlreadyExists",
        "A policy called {name} already exists. Duplicate names are not allowed.",
    ),
    "aws:eks/cluster:Cluster": (
        "EKS: CreateCluster",
        409,
        "ResourceInUseException",
        "Cluster already exists with name: {name}",
    ),
    "aws:ec2/placementGroup:PlacementGroup": (
        "EC2: CreatePlacementGroup",
        400,
        "InvalidPlacementGroup.Duplicate",
        "The placement group '{name}' already exists.",
    ),
    "aws:ec2/launchTemplate:LaunchTemplate": (
        "EC2: CreateLaunchTemplate",
        400,
        "InvalidLaunchTemplateName.AlreadyExistsException",
        "Launch template name already in use.",
    ),
    "aws:kms/alias:Alias": (
        "KMS: CreateAlias",
        400,
        "AlreadyExistsException",
        "An alias with the name {name} already exists",
    ),
    "aws:cloudwatch/logGroup:LogGroup": (
        "CloudWatch Logs: CreateLogGroup",
        400,
        "ResourceAlreadyExistsException",
        "The specified log group already exists",
    ),
}


@rule(*_UNIQUE)
def name_is_unique(managed: ManagedResource) -> None:
    """One resource per name, in a region or, for IAM, in the account."""
    if any(entry.name == managed.name for entry in managed.others(managed.token, managed.name)):
        operation, status, code, message = _UNIQUE[managed.token]
        raise refused(managed, operation, status, code, message.format(name=managed.name))


@rule("aws:cloudwatch/logGroup:LogGroup")
def log_group_of_a_logging_cluster_exists(managed: ManagedResource) -> None:
    """EKS creates the log group of a cluster with logs if it does not exist before.

    Source: Amazon EKS user guide, "Send control plane logs to CloudWatch Logs".
    """
    cluster = managed.name.removeprefix("/aws/eks/").removesuffix("/cluster")
    logging = (
        entry.name
        for entry in managed.others("aws:eks/cluster:Cluster", cluster)
        if entry.inputs.get("enabledClusterLogTypes")
    )
    if not managed.previous and managed.name in {f"/aws/eks/{name}/cluster" for name in logging}:
        operation, status, code, message = _UNIQUE[managed.token]
        raise refused(managed, operation, status, code, message)


@rule("aws:eks/nodeGroup:NodeGroup")
def node_group_is_unique_in_its_cluster(managed: ManagedResource) -> None:
    """One node group per name and cluster."""
    cluster = managed.inputs["clusterName"]
    if _taken(
        managed, managed.name, lambda other: (other["nodeGroupName"], other["clusterName"]) == (managed.name, cluster)
    ):
        message = f"NodeGroup already exists with name {managed.name} and cluster name {cluster}"
        raise refused(managed, "EKS: CreateNodegroup", 409, "ResourceInUseException", message)


@rule("aws:eks/addon:Addon")
def addon_is_unique_in_its_cluster(managed: ManagedResource) -> None:
    """One add-on per name and cluster."""
    wanted = (managed.inputs["addonName"], managed.inputs["clusterName"])
    if _taken(managed, wanted[1], lambda other: (other["addonName"], other["clusterName"]) == wanted):
        raise refused(managed, "EKS: CreateAddon", 409, "ResourceInUseException", "Addon already exists.")


@rule("aws:eks/accessEntry:AccessEntry")
def access_entry_is_unique_in_its_cluster(managed: ManagedResource) -> None:
    """One access entry per principal and cluster."""
    wanted = (managed.inputs["principalArn"], managed.inputs["clusterName"])
    if _taken(managed, wanted[0], lambda other: (other["principalArn"], other["clusterName"]) == wanted):
        message = "The specified access entry resource is already in use on this cluster."
        raise refused(managed, "EKS: CreateAccessEntry", 409, "ResourceInUseException", message)


@rule("aws:ec2/securityGroup:SecurityGroup")
def security_group_is_unique_in_its_vpc(managed: ManagedResource) -> None:
    """One security group per name and VPC."""
    vpc = managed.inputs.get("vpcId")
    if _taken(managed, managed.name, lambda other: (other.get("name"), other.get("vpcId")) == (managed.name, vpc)):
        message = f"The security group '{managed.name}' already exists for VPC '{vpc}'"
        raise refused(managed, "EC2: CreateSecurityGroup", 400, "InvalidGroup.Duplicate", message)


@rule("aws:s3/bucket:Bucket")
def bucket_is_unique_everywhere(managed: ManagedResource) -> None:
    """One bucket per name in all regions."""
    found = managed.ledger.mentioning({managed.token}, managed.name)
    if not managed.previous and any(entry.name == managed.name for entry in found):
        message = "Your previous request to create the named bucket succeeded and you already own it."
        raise refused(managed, "S3: CreateBucket", 409, "BucketAlreadyOwnedByYou", message)


def _taken(managed: ManagedResource, mentioning: Any, matches: Callable[[Mapping[str, Any]], bool]) -> bool:
    return any(matches(entry.inputs) for entry in managed.others(managed.token, mentioning))
