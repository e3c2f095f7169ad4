"""Requirements of EKS and EC2 for clusters, their access, add-ons, keys and managed node groups.

Sources: Amazon EKS API, CreateAccessEntry and AssociateAccessPolicy; Amazon EKS user guide, "Create access entries" (an
ARN of STS is no principal) and "Review access policy permissions".

EKS publishes no list of all: builds that no rule here excludes are accepted. Sources: the text of CreateAddon and
UpdateAddon as users of the Terraform provider got them (hashicorp/terraform-provider-aws issues 24149 and 33385);
Kubernetes documentation, "Version Skew Policy", kube-proxy; answers of `aws eks describe-addon-versions` in public
repositories, 2026-09-04: for 1.35 no CoreDNS 1.11 and no VPC CNI 1.18, for 1.33 no kube-proxy 1.29.

Sources: Amazon EKS API, CreateNodegroup; Amazon EKS user guide, "Customize managed nodes with launch templates"; Amazon
EC2 user guide, "Placement strategies for your placement groups" (a cluster group lies in one zone).

Source: Amazon EKS API, EncryptionConfig and Provider.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.store.ledger import Entry

_ENTRY: Final = "aws:eks/accessEntry:AccessEntry"
_ASSOCIATION: Final = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
_PRINCIPAL: Final = r"arn:aws[a-z-]*:iam::\d{12}:(role|user)/\S+"
_POLICY: Final = r"arn:aws[a-z-]*:eks::aws:cluster-access-policy/\w+"


@rule(_ENTRY)
def principal_is_a_role_or_user(managed: ManagedResource) -> None:
    """An access entry is for an IAM role or user, not for a session of one."""
    arn = managed.inputs["principalArn"]
    if not re.fullmatch(_PRINCIPAL, arn):
        message = f"The specified principalArn is invalid: invalid principal: {arn}"
        raise refused(managed, "EKS: CreateAccessEntry", 400, "InvalidParameterException", message)


@rule(_ASSOCIATION)
def policy_goes_to_an_access_entry(managed: ManagedResource) -> None:
    """A policy is one of EKS, and its principal has an access entry in the cluster."""
    policy, wanted = managed.inputs["policyArn"], (managed.inputs["principalArn"], managed.inputs["clusterName"])
    if not re.fullmatch(_POLICY, policy):
        message = f"The policyArn parameter format is not valid: {policy}"
        raise refused(managed, "EKS: AssociateAccessPolicy", 400, "InvalidParameterException", message)
    entries = managed.others(_ENTRY, wanted[0])
    if not any((entry.inputs["principalArn"], entry.inputs["clusterName"]) == wanted for entry in entries):
        message = (
            f"The specified principalArn could not be found. You can view your available access entries: {wanted[0]}"
        )
        raise refused(managed, "EKS: AssociateAccessPolicy", 404, "ResourceNotFoundException", message)


_ADDON: Final = "aws:eks/addon:Addon"
_FORM: Final = r"v(\d+)\.(\d+)\.\d+-eksbuild\.\d+"
_SKEW: Final = 3
_LAST: Final = {"coredns": ((1, 11), (1, 34)), "vpc-cni": ((1, 18), (1, 34))}
"""Add-on -> a minor version, and the last of Kubernetes that EKS offers it for."""


@rule(_ADDON)
def build_is_offered(managed: ManagedResource) -> None:
    """The build exists for the cluster's version of Kubernetes; one that stays is not checked again."""
    name, build = str(managed.inputs["addonName"]), managed.inputs.get("addonVersion")
    if build is None or (managed.previous and "addonVersion" not in managed.changed) or "_" in name:
        return  # names of the Marketplace's add-ons have an underscore, and builds of any form
    kubernetes = _kubernetes(managed)
    found = re.fullmatch(_FORM, str(build))
    if kubernetes is None or (found and _is_offered(name, (int(found[1]), int(found[2])), kubernetes)):
        return
    action = "UpdateAddon" if managed.previous else "CreateAddon"
    message = "Addon version specified is not supported"
    raise refused(managed, f"EKS: {action}", 400, "InvalidParameterException", message)


def _is_offered(name: str, version: tuple[int, int], kubernetes: tuple[int, int]) -> bool:
    if name == "kube-proxy":
        return version[0] == kubernetes[0] and 0 <= kubernetes[1] - version[1] <= _SKEW
    last, until = _LAST.get(name, ((0, 0), kubernetes))
    return version > last or kubernetes <= until


def _kubernetes(managed: ManagedResource) -> tuple[int, int] | None:
    """The version of its cluster."""
    name = managed.inputs["clusterName"]
    found = next((one for one in managed.others("aws:eks/cluster:Cluster", name) if one.name == name), None)
    return None if found is None else minor(str(found.outputs["version"]))


_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_TAGS: Final = frozenset({"tags", "tagsAll"})
_SUBNET: Final = "aws:ec2/subnet:Subnet"
_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
_PLACEMENT_GROUP: Final = "aws:ec2/placementGroup:PlacementGroup"

# Domains of labels that a kubelet may set on its own node (well_known_labels.go).
_KUBELET_DOMAINS: Final = ("kubelet.kubernetes.io", "node.kubernetes.io")
_KUBELET_LABELS: Final = frozenset(
    (
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    )
)


@rule("aws:eks/cluster:Cluster", _NODE_GROUP)
def subnets_exist(managed: ManagedResource) -> None:
    """Every subnet exists in the region; a cluster needs two zones.

    Source of the latter: Amazon EKS user guide, "View Amazon EKS networking requirements for VPC and subnets".
    """
    is_cluster = managed.token != _NODE_GROUP
    ids = items((mapping(managed.inputs["vpcConfig"]) if is_cluster else managed.inputs).get("subnetIds"))
    operation = "EKS: CreateCluster" if is_cluster else "EKS: CreateNodegroup"
    for id_ in ids:
        if managed.other(_SUBNET, id_) is None:
            message = f"The subnet ID '{id_}' does not exist (Service: AmazonEC2; ErrorCode: InvalidSubnetID.NotFound)"
            raise refused(managed, operation, 400, "InvalidParameterException", message)
    if is_cluster and len(zones_of(managed, ids)) < 2:
        message = "Subnets specified must be in at least two different AZs"
        raise refused(managed, operation, 400, "InvalidParameterException", message)


@rule(
    _NODE_GROUP,
    "aws:eks/addon:Addon",
    "aws:eks/accessEntry:AccessEntry",
    "aws:eks/podIdentityAssociation:PodIdentityAssociation",
)
def cluster_exists(managed: ManagedResource) -> None:
    """Resources of a cluster require the cluster."""
    name = managed.inputs["clusterName"]
    if not any(entry.name == name for entry in managed.others("aws:eks/cluster:Cluster", name)):
        kind = managed.token.rsplit(":", 1)[-1]
        raise refused(
            managed, f"EKS: Create{kind}", 404, "ResourceNotFoundException", f"No cluster found for name: {name}."
        )


@rule(_NODE_GROUP)
def is_active(managed: ManagedResource) -> None:
    """EKS updates no group that it failed to create; its tags are another request.

    Source: aws/containers-roadmap issue 2204.
    """
    there = managed.other(_NODE_GROUP, managed.id) if managed.changed - _TAGS else None
    if there is not None and there.state == "CREATE_FAILED":
        message = "Nodegroup cannot be updated as it is currently not in Active State"
        raise refused(managed, "EKS: UpdateNodegroupConfig", 409, "ResourceInUseException", message)


@rule(_NODE_GROUP)
def sizes_are_in_order(managed: ManagedResource) -> None:
    """min <= desired <= max."""
    scaling = managed.inputs["scalingConfig"]
    low, wanted, high = (int(scaling[key]) for key in ("minSize", "desiredSize", "maxSize"))
    if not low <= wanted <= high:
        message = f"desired capacity {wanted} must be between minimum size {low} and maximum size {high}"
        raise refused(managed, "EKS: CreateNodegroup", 400, "InvalidParameterException", message)


@rule(_NODE_GROUP)
def instance_type_is_given_once(managed: ManagedResource) -> None:
    """In the launch template or on the node group, not both."""
    template = template_of(managed, managed.inputs)
    if template is not None and template.inputs.get("instanceType") and managed.inputs.get("instanceTypes"):
        message = "Cannot specify instance types in launch template and API request"
        raise refused(managed, "EKS: CreateNodegroup", 400, "InvalidRequestException", message)


@rule(_NODE_GROUP)
def kubelet_accepts_the_labels(managed: ManagedResource) -> None:
    """A kubelet does not start with a label of the kubernetes.io and k8s.io domains, with few exceptions: its node is
    billed and never joins.

    Source: kubernetes/kubernetes v1.34, cmd/kubelet/app/options/options.go (ValidateKubeletFlags) and
    staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go.
    """
    unknown = sorted(key for key in mapping(managed.inputs.get("labels")) if _is_reserved(key))
    if unknown:
        message = (
            "NodeCreationFailure: Instances failed to join the kubernetes cluster; kubelet: failed to validate kubelet "
            f"flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [{' '.join(unknown)}]"
        )
        raise refused(managed, "EKS: CreateNodegroup", 400, "NodeCreationFailure", message)


def _is_reserved(key: str) -> bool:
    domain = key.rpartition("/")[0]
    if key in _KUBELET_LABELS or any(_in_domain(domain, name) for name in _KUBELET_DOMAINS):
        return False
    return any(_in_domain(domain, name) for name in ("kubernetes.io", "k8s.io"))


def _in_domain(domain: str, name: str) -> bool:
    return domain == name or domain.endswith(f".{name}")


@rule(_NODE_GROUP)
def placement_group_is_there(managed: ManagedResource) -> None:
    """EC2 checks the group when the machines start. A group of a reservation may have been created by hand, like the
    reservation.

    Source: Amazon EC2 API, "Error codes for the Amazon EC2 API", InvalidPlacementGroup.Unknown.
    """
    template = template_of(managed, managed.inputs)
    given = template.inputs if template is not None else {}
    name = mapping(given.get("placement")).get("groupName")
    if not name or given.get("capacityReservationSpecification"):
        return
    if all(entry.name != name for entry in managed.others(_PLACEMENT_GROUP, name)):
        message = f"AsgInstanceLaunchFailures: The placement group '{name}' is unknown."
        raise refused(managed, "EKS: CreateNodegroup", 400, "NodeCreationFailure", message)


@rule(_NODE_GROUP)
def cluster_placement_group_stays_in_one_zone(managed: ManagedResource) -> None:
    """The nodes in a cluster placement group fix its zone."""
    group = _cluster_placement_group(managed, managed.inputs)
    if group is None:
        return
    all_inputs = [managed.inputs, *(entry.inputs for entry in managed.others(_NODE_GROUP))]
    members = [inputs for inputs in all_inputs if _cluster_placement_group(managed, inputs) == group]
    zones = set[str]().union(*(zones_of(managed, inputs["subnetIds"]) for inputs in members))
    if len(zones) > 1:
        message = (
            f"AsgInstanceLaunchFailures: instances in cluster placement group '{group}' cannot be launched in more "
            f"than one Availability Zone; the subnets are in {', '.join(sorted(zones))}"
        )
        raise refused(managed, "EKS: CreateNodegroup", 400, "NodeCreationFailure", message)


def zones_of(managed: ManagedResource, subnet_ids: list[str]) -> set[str]:
    """The zones of these subnets."""
    subnets = (managed.other(_SUBNET, id_) for id_ in subnet_ids)
    return {str(subnet.outputs["availabilityZone"]) for subnet in subnets if subnet is not None}


def template_of(managed: ManagedResource, inputs: Mapping[str, Any]) -> Entry | None:
    """The launch template of a node group with these inputs."""
    reference = mapping(inputs.get("launchTemplate"))
    by_id = managed.other(_TEMPLATE, reference.get("id"))
    by_name = (
        entry for entry in managed.others(_TEMPLATE, reference.get("name")) if entry.name == reference.get("name")
    )
    return by_id or next(by_name, None)


def _cluster_placement_group(managed: ManagedResource, inputs: Mapping[str, Any]) -> str | None:
    """The name of its nodes' cluster placement group, None without one."""
    template = template_of(managed, inputs)
    placement = mapping(template.inputs.get("placement") if template is not None else None)
    for entry in managed.others(_PLACEMENT_GROUP, placement.get("groupName"), placement.get("groupId")):
        named: bool = entry.name == placement.get("groupName") or entry.outputs["placementGroupId"] == placement.get(
            "groupId"
        )
        if named and entry.inputs.get("strategy") == "cluster":
            return entry.name
    return None


@rule("aws:eks/cluster:Cluster")
def secrets_key_is_symmetric_and_here(managed: ManagedResource) -> None:
    """A symmetric encryption key, in the cluster's region; only secrets are encrypted."""
    config = mapping(managed.inputs.get("encryptionConfig"))
    if not config:
        return
    if config.get("resources") != ["secrets"]:
        raise _refused(managed, f"encryptionConfig resources must be [secrets], not {config.get('resources')}")
    arn = str(mapping(config.get("provider")).get("keyArn"))
    key = next((entry for entry in managed.others("aws:kms/key:Key", arn) if entry.outputs["arn"] == arn), None)
    account = managed.arn("kms", "key/").split(":")[4]
    if arn.split(":")[3:4] != [managed.region] or (key is None and arn.split(":")[4:5] == [account]):
        raise _refused(managed, f"The keyArn in encryptionConfig provider, {arn}, is invalid")
    if key is not None and key.outputs.get("customerMasterKeySpec", "SYMMETRIC_DEFAULT") != "SYMMETRIC_DEFAULT":
        raise _refused(managed, f"The key {arn} is not symmetric")


def _refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EKS: CreateCluster", 400, "InvalidParameterException", message)
