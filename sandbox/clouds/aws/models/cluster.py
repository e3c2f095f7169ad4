"""EKS clusters, their dependent resources and their machines. Endpoints and certificates have the right form and lead
nowhere.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.aws.names import ACCOUNT, DOMAIN, arn, hex_id
from gpucluster.sandbox.clouds.model import random_hex

# Source of both: hashicorp/terraform-provider-aws internal/service/ec2/ec2_launch_template.go, `CustomizeDiff` for the
# plan and `updateKeys` for the update. They differ in tags and the description.
_PLANNED_WITHOUT_VERSION = frozenset({"name", "namePrefix", "description", "defaultVersion", "updateDefaultVersion"})
_DONE_WITHOUT_VERSION = frozenset({"tags", "defaultVersion", "updateDefaultVersion"})


@models("aws:ec2/launchTemplate:LaunchTemplate", id="lt", changing=("latestVersion",), keeping=_PLANNED_WITHOUT_VERSION)
def launch_template(managed: ManagedResource) -> Mapping[str, Any]:
    """A change of the launched machines creates a version; the default version changes only if the program changes
    it.
    """
    new_version = not managed.previous or bool(managed.changed - _DONE_WITHOUT_VERSION)
    latest = int(managed.previous.get("latestVersion") or 0) + new_version
    default = latest if managed.inputs.get("updateDefaultVersion") else managed.previous.get("defaultVersion") or 1
    return {
        "arn": managed.arn("ec2", f"launch-template/{managed.id}"),
        "latestVersion": latest,
        "defaultVersion": managed.inputs.get("defaultVersion") or default,
    }


@models(
    "aws:autoscaling/tag:Tag",
    id=lambda managed: f"{managed.inputs['autoscalingGroupName']},{managed.inputs['tag']['key']}",
)
def group_tag(_: ManagedResource) -> Mapping[str, Any]:
    """Source of the id: hashicorp/terraform-provider-aws internal/tags, SetResourceID."""
    return {}


@models("aws:ec2/placementGroup:PlacementGroup", id=lambda managed: managed.name)
def placement_group(managed: ManagedResource) -> Mapping[str, Any]:
    computed: dict[str, Any] = {
        "arn": managed.arn("ec2", f"placement-group/{managed.name}"),
        "placementGroupId": managed.keep("placementGroupId", lambda: hex_id("pg")),
    }
    if managed.inputs.get("strategy") == "spread":
        computed["spreadLevel"] = managed.inputs.get("spreadLevel") or "rack"
    if managed.inputs.get("strategy") == "partition":
        computed["partitionCount"] = managed.inputs.get("partitionCount") or 2
    return computed


@models(
    "aws:ec2/capacityReservation:CapacityReservation",
    id="cr",
    defaults={"endDateType": "unlimited", "instanceMatchCriteria": "open", "tenancy": "default"},
)
def capacity_reservation(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("ec2", f"capacity-reservation/{managed.id}"), "ownerId": ACCOUNT}


@models("aws:resourcegroups/group:Group", id=lambda managed: managed.name)
def resource_group(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("resource-groups", f"group/{managed.name}")}


def _unique_id(prefix: str) -> str:
    """An IAM unique id: four letters for the kind and 17 more characters."""
    return f"{prefix}{random_hex(17).upper()}"


def _path(managed: ManagedResource) -> str:
    return managed.inputs.get("path") or "/"


@models("aws:iam/role:Role", id=lambda managed: managed.name, defaults={"maxSessionDuration": 3600, "path": "/"})
def role(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "arn": arn("iam", "", f"role{_path(managed)}{managed.name}"),
        "createDate": managed.keep("createDate", lambda: datetime.now(UTC).isoformat(timespec="seconds")),
        "uniqueId": managed.keep("uniqueId", lambda: _unique_id("AROA")),
    }


@models("aws:iam/instanceProfile:InstanceProfile", id=lambda managed: managed.name, defaults={"path": "/"})
def instance_profile(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "arn": arn("iam", "", f"instance-profile{_path(managed)}{managed.name}"),
        "createDate": managed.keep("createDate", lambda: datetime.now(UTC).isoformat(timespec="seconds")),
        "uniqueId": managed.keep("uniqueId", lambda: _unique_id("AIPA")),
    }


@models("aws:iam/rolePolicy:RolePolicy", id=lambda managed: f"{managed.inputs['role']}:{managed.name}")
def role_policy(_: ManagedResource) -> Mapping[str, Any]:
    return {}


@models(
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    id=lambda managed: f"{managed.inputs['role']}/{managed.inputs['policyArn']}",
)
def role_policy_attachment(_: ManagedResource) -> Mapping[str, Any]:
    return {}


@models(
    "aws:iam/policy:Policy",
    id=lambda managed: arn("iam", "", f"policy{_path(managed)}{managed.name}"),
    defaults={"path": "/"},
)
def policy(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.id, "policyId": managed.keep("policyId", lambda: _unique_id("ANPA"))}


_DEFAULT_VERSION = "1.35"
"""Default Kubernetes version; one below the newest line of awslabs/amazon-eks-ami v20260714."""

_CERTIFICATE = base64.b64encode(
    b"-----BEGIN CERTIFICATE-----\n"
    + base64.b64encode(b"this certificate belongs to the sandbox and certifies nothing at all")
    + b"\n-----END CERTIFICATE-----\n"
).decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@models(
    "aws:eks/cluster:Cluster",
    id=lambda managed: managed.name,
    defaults={"version": _DEFAULT_VERSION, "bootstrapSelfManagedAddons": True, "status": "ACTIVE"},
    nested={"vpcConfig": ("clusterSecurityGroupId", "vpcId")},
)
def cluster(managed: ManagedResource) -> Mapping[str, Any]:
    host = managed.keep("endpoint", lambda: _endpoint(managed.region))
    unique = host.removeprefix("https://").split(".")[0]
    version = managed.inputs.get("version") or managed.previous.get("version") or _DEFAULT_VERSION
    return {
        "arn": managed.arn("eks", f"cluster/{managed.name}"),
        "accessConfig": {
            "authenticationMode": "CONFIG_MAP",
            "bootstrapClusterCreatorAdminPermissions": True,
            **mapping(managed.inputs.get("accessConfig")),
        },
        "certificateAuthority": {"data": _CERTIFICATE},
        "createdAt": managed.keep("createdAt", _now),
        "endpoint": host,
        "identities": [{"oidcs": [{"issuer": f"https://oidc.eks.{managed.region}.{DOMAIN}/id/{unique}"}]}],
        "kubernetesNetworkConfig": {
            "ipFamily": "ipv4",
            "serviceIpv4Cidr": "10.100.0.0/16",
            **mapping(managed.inputs.get("kubernetesNetworkConfig")),
        },
        "platformVersion": "eks.1",
        "upgradePolicy": managed.inputs.get("upgradePolicy") or {"supportType": "EXTENDED"},
        "version": version,
        "vpcConfig": _vpc_config(managed),
    }


def _endpoint(region: str) -> str:
    return f"https://{random_hex(32).upper()}.gr7.{region}.eks.{DOMAIN}"


def _vpc_config(managed: ManagedResource) -> Mapping[str, Any]:
    config = mapping(managed.inputs.get("vpcConfig"))
    before = mapping(managed.previous.get("vpcConfig"))
    subnets = [managed.other("aws:ec2/subnet:Subnet", id_) for id_ in items(config.get("subnetIds"))]
    return {
        "endpointPrivateAccess": False,
        "endpointPublicAccess": True,
        "publicAccessCidrs": ["0.0.0.0/0"],
        **config,
        "clusterSecurityGroupId": before.get("clusterSecurityGroupId") or hex_id("sg"),
        "vpcId": next((subnet.outputs["vpcId"] for subnet in subnets if subnet), ""),
    }


@models(
    "aws:eks/nodeGroup:NodeGroup",
    id=lambda managed: f"{managed.inputs['clusterName']}:{managed.name}",
    defaults={"amiType": "AL2023_x86_64_STANDARD", "capacityType": "ON_DEMAND", "status": "ACTIVE"},
    changing=("releaseVersion",),
)
def node_group(managed: ManagedResource) -> Mapping[str, Any]:
    path = f"{managed.inputs['clusterName']}/{managed.name}"
    unique = managed.keep(
        "arn", lambda: f"/{random_hex(8)}-{random_hex(4)}-{random_hex(4)}-{random_hex(4)}-{random_hex(12)}"
    )
    unique = unique.rsplit("/", 1)[-1]
    cluster = managed.inputs["clusterName"]
    of_cluster = next(
        (entry for entry in managed.others("aws:eks/cluster:Cluster", cluster) if entry.name == cluster), None
    )
    version = managed.inputs.get("version") or (of_cluster.outputs["version"] if of_cluster else _DEFAULT_VERSION)
    has_template = bool(managed.inputs.get("launchTemplate"))
    return {
        "arn": managed.arn("eks", f"nodegroup/{path}/{unique}"),
        "diskSize": managed.inputs.get("diskSize") or (0 if has_template else 20),
        "instanceTypes": managed.inputs.get("instanceTypes") or ([] if has_template else ["t3.medium"]),
        "releaseVersion": managed.inputs.get("releaseVersion") or f"{version}.0-00000000",
        "resources": [
            {
                "autoscalingGroups": [{"name": f"eks-{managed.name}-{unique}"}],
                "remoteAccessSecurityGroupId": "",
            }
        ],
        "updateConfig": managed.inputs.get("updateConfig") or {"maxUnavailable": 1},
        "version": version,
    }


@models(
    "aws:eks/addon:Addon",
    id=lambda managed: f"{managed.inputs['clusterName']}:{managed.inputs['addonName']}",
    changing=("modifiedAt",),
)
def addon(managed: ManagedResource) -> Mapping[str, Any]:
    path = f"addon/{managed.inputs['clusterName']}/{managed.inputs['addonName']}"
    return {
        "arn": managed.keep("arn", lambda: managed.arn("eks", f"{path}/{random_hex(8)}")),
        "addonVersion": managed.inputs.get("addonVersion") or "v0.0.0-eksbuild.1",
        "createdAt": managed.keep("createdAt", _now),
        "modifiedAt": _now(),
    }


@models(
    "aws:eks/accessEntry:AccessEntry",
    id=lambda managed: f"{managed.inputs['clusterName']}:{managed.inputs['principalArn']}",
    defaults={"type": "STANDARD"},
    changing=("modifiedAt",),
)
def access_entry(managed: ManagedResource) -> Mapping[str, Any]:
    principal = managed.inputs["principalArn"]
    path = f"access-entry/{managed.inputs['clusterName']}/role/{principal.split(':')[4]}/{principal.rsplit('/', 1)[-1]}"
    return {
        "accessEntryArn": managed.keep("accessEntryArn", lambda: managed.arn("eks", f"{path}/{random_hex(8)}")),
        "createdAt": managed.keep("createdAt", _now),
        "modifiedAt": _now(),
        "userName": managed.inputs.get("userName") or principal,
    }


@models(
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    id=lambda managed: "#".join(
        (managed.inputs["clusterName"], managed.inputs["principalArn"], managed.inputs["policyArn"])
    ),
)
def access_policy_association(managed: ManagedResource) -> Mapping[str, Any]:
    now = managed.keep("associatedAt", _now)
    return {"associatedAt": now, "modifiedAt": now}


@models("aws:eks/podIdentityAssociation:PodIdentityAssociation", id=lambda _: f"a-{random_hex(17)}")
def pod_identity_association(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "associationArn": managed.arn("eks", f"podidentityassociation/{managed.inputs['clusterName']}/{managed.id}"),
        "associationId": managed.id,
    }
