"""Names that may exist once, and what each API answers to the second one.

Sources: the errors of CreateRole and CreatePolicy (IAM API), CreateCluster, CreateNodegroup, CreateAddon and
CreateAccessEntry (EKS API), the EC2 API error codes, CreateBucket (S3 API), CreateAlias (KMS API) and CreateLogGroup
(CloudWatch Logs API).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

__all__: list[str] = []

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
def name_is_unique(thing: Thing) -> None:
    """One thing per name, in a region or, for IAM, in the account."""
    if any(entry.name == thing.name for entry in thing.others(thing.token, thing.name)):
        operation, status, code, message = _UNIQUE[thing.token]
        raise refused(thing, operation, status, code, message.format(name=thing.name))


@rule("aws:cloudwatch/logGroup:LogGroup")
def log_group_of_a_logging_cluster_exists(thing: Thing) -> None:
    """EKS makes the log group of a cluster that logs when nobody has made it before.

    Source: Amazon EKS user guide, "Send control plane logs to CloudWatch Logs".
    """
    cluster = thing.name.removeprefix("/aws/eks/").removesuffix("/cluster")
    logging = (
        entry.name
        for entry in thing.others("aws:eks/cluster:Cluster", cluster)
        if entry.inputs.get("enabledClusterLogTypes")
    )
    if not thing.previous and thing.name in {f"/aws/eks/{name}/cluster" for name in logging}:
        operation, status, code, message = _UNIQUE[thing.token]
        raise refused(thing, operation, status, code, message)


@rule("aws:eks/nodeGroup:NodeGroup")
def node_group_is_unique_in_its_cluster(thing: Thing) -> None:
    """One node group per name and cluster."""
    cluster = thing.inputs["clusterName"]
    if _taken(thing, thing.name, lambda other: (other["nodeGroupName"], other["clusterName"]) == (thing.name, cluster)):
        message = f"NodeGroup already exists with name {thing.name} and cluster name {cluster}"
        raise refused(thing, "EKS: CreateNodegroup", 409, "ResourceInUseException", message)


@rule("aws:eks/addon:Addon")
def addon_is_unique_in_its_cluster(thing: Thing) -> None:
    """One add-on per name and cluster."""
    wanted = (thing.inputs["addonName"], thing.inputs["clusterName"])
    if _taken(thing, wanted[1], lambda other: (other["addonName"], other["clusterName"]) == wanted):
        raise refused(thing, "EKS: CreateAddon", 409, "ResourceInUseException", "Addon already exists.")


@rule("aws:eks/accessEntry:AccessEntry")
def access_entry_is_unique_in_its_cluster(thing: Thing) -> None:
    """One access entry per principal and cluster."""
    wanted = (thing.inputs["principalArn"], thing.inputs["clusterName"])
    if _taken(thing, wanted[0], lambda other: (other["principalArn"], other["clusterName"]) == wanted):
        message = "The specified access entry resource is already in use on this cluster."
        raise refused(thing, "EKS: CreateAccessEntry", 409, "ResourceInUseException", message)


@rule("aws:ec2/securityGroup:SecurityGroup")
def security_group_is_unique_in_its_vpc(thing: Thing) -> None:
    """One security group per name and VPC."""
    vpc = thing.inputs.get("vpcId")
    if _taken(thing, thing.name, lambda other: (other.get("name"), other.get("vpcId")) == (thing.name, vpc)):
        message = f"The security group '{thing.name}' already exists for VPC '{vpc}'"
        raise refused(thing, "EC2: CreateSecurityGroup", 400, "InvalidGroup.Duplicate", message)


@rule("aws:s3/bucket:Bucket")
def bucket_is_unique_everywhere(thing: Thing) -> None:
    """One bucket per name in all regions."""
    found = thing.ledger.mentioning({thing.token}, thing.name)
    if not thing.previous and any(entry.name == thing.name for entry in found):
        message = "Your previous request to create the named bucket succeeded and you already own it."
        raise refused(thing, "S3: CreateBucket", 409, "BucketAlreadyOwnedByYou", message)


def _taken(thing: Thing, mentioning: Any, matches: Callable[[Mapping[str, Any]], bool]) -> bool:
    return any(matches(entry.inputs) for entry in thing.others(thing.token, mentioning))
