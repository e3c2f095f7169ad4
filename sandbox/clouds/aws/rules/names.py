"""Unique names, and each API's error for a duplicate; the size of IAM's policies.

Sources: the errors of CreateRole and CreatePolicy (IAM API), CreateCluster, CreateNodegroup, CreateAddon and
CreateAccessEntry and CreatePodIdentityAssociation (EKS API), the EC2 API error codes, CreateBucket (S3 API),
CreateAlias (KMS API), CreateLogGroup (CloudWatch Logs API), CreateRepository, CreatePullThroughCacheRule and
CreateRepositoryCreationTemplate (ECR API), CreateAlertManagerDefinition and CreateRuleGroupsNamespace (Amazon Managed
Service for Prometheus API), CreateFileSystem (EFS API), CreateTopic (SNS API) and CreateQueue (SQS API).

Others take a name twice: PutRolePolicy, PutRule, PutTargets and PutLifecyclePolicy overwrite. If two
resources share a rule or policy, deleting one deletes it for both. The alias of a Prometheus workspace need not be
unique.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.aws.names import ACCOUNT
from gpucluster.sandbox.clouds.model import DEFAULTS_KEY

_MANAGED_POLICY_SIZE: Final = 6144


@rule("aws:iam/policy:Policy")
def policy_is_small_enough(managed: ManagedResource) -> None:
    """A managed policy has up to 6,144 characters, without blanks (IAM user guide, "IAM and AWS STS quotas")."""
    if len("".join(str(managed.inputs.get("policy") or "").split())) > _MANAGED_POLICY_SIZE:
        message = f"Cannot exceed quota for PolicySize: {_MANAGED_POLICY_SIZE}"
        raise refused(managed, "IAM: CreatePolicy", 409, "LimitExceeded", message)


# type -> operation, HTTP status, error code, message; the name, or the id of a type without one, is unique in the
# account or region.
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
    "aws:iam/instanceProfile:InstanceProfile": (
        "IAM: CreateInstanceProfile",
        409,
        "EntityAlreadyExists",
        "Instance Profile {name} already exists.",
    ),
    "aws:ecr/repository:Repository": (
        "ECR: CreateRepository",
        400,
        "RepositoryAlreadyExistsException",
        f"The repository with name '{{name}}' already exists in the registry with id '{ACCOUNT}'",
    ),
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": (
        "ECR: CreatePullThroughCacheRule",
        400,
        "PullThroughCacheRuleAlreadyExistsException",
        "A pull through cache rule with the prefix '{name}' already exists",
    ),
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": (
        "ECR: CreateRepositoryCreationTemplate",
        400,
        "TemplateAlreadyExistsException",
        "A repository creation template with the prefix '{name}' already exists",
    ),
    "aws:amp/alertManagerDefinition:AlertManagerDefinition": (
        "amp: CreateAlertManagerDefinition",
        409,
        "ConflictException",
        "The alert manager definition of {name} already exists",
    ),
    "aws:ec2/route:Route": ("EC2: CreateRoute", 400, "RouteAlreadyExists", "The route {name} already exists."),
}


@rule(*_UNIQUE)
def name_is_unique(managed: ManagedResource) -> None:
    """One resource per name, in a region or, for IAM, in the account."""
    name = managed.name or managed.id
    if any((entry.name or entry.id) == name for entry in managed.others(managed.token, name)):
        operation, status, code, message = _UNIQUE[managed.token]
        raise refused(managed, operation, status, code, message.format(name=name))


_SHARED: Final = {
    "aws:sns/topic:Topic": ("SNS: CreateTopic", "InvalidParameter", "Tags Reason: Topic already exists with different"),
    "aws:sqs/queue:Queue": (
        "SQS: CreateQueue",
        "QueueNameExists",
        "A queue already exists with the same name and other",
    ),
}


@rule(*_SHARED)
def name_is_taken_by_the_same_alone(managed: ManagedResource) -> None:
    """A topic or queue that exists is returned if the request describes it; a queue's tags do not count."""
    for entry in managed.others(managed.token, managed.name) if not managed.previous else []:
        ignored = {DEFAULTS_KEY, "tags"} if managed.token == "aws:sqs/queue:Queue" else {DEFAULTS_KEY}
        wanted, there = (
            {key: it for key, it in inputs.items() if key not in ignored} for inputs in (managed.inputs, entry.inputs)
        )
        if entry.name == managed.name and wanted != there:
            operation, code, message = _SHARED[managed.token]
            raise refused(managed, operation, 400, code, f"{message} attributes")


@rule("aws:amp/ruleGroupNamespace:RuleGroupNamespace")
def namespace_is_unique_in_its_workspace(managed: ManagedResource) -> None:
    """One namespace of rules per name and workspace."""
    if managed.other(managed.token, managed.id) is not None and not managed.previous:
        message = f"The rule groups namespace {managed.name} already exists"
        raise refused(managed, "amp: CreateRuleGroupsNamespace", 409, "ConflictException", message)


@rule("aws:efs/fileSystem:FileSystem")
def creation_token_is_unique(managed: ManagedResource) -> None:
    """One file system per creation token."""
    for entry in managed.others(managed.token, managed.name):
        if entry.name == managed.name:
            message = f"File system '{entry.id}' already exists with creation token '{managed.name}'"
            raise refused(managed, "EFS: CreateFileSystem", 409, "FileSystemAlreadyExists", message)


@rule("aws:eks/podIdentityAssociation:PodIdentityAssociation")
def service_account_has_one_association(managed: ManagedResource) -> None:
    """One association per service account of a cluster."""
    keys = ("clusterName", "namespace", "serviceAccount")
    wanted = [managed.inputs[key] for key in keys]
    if _taken(managed, wanted[0], lambda other: [other[key] for key in keys] == wanted):
        message = "Association already exists for this service account"
        raise refused(managed, "EKS: CreatePodIdentityAssociation", 409, "ResourceInUseException", message)


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
