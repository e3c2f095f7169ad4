"""Launch templates, tags of Auto Scaling groups, placement groups and capacity reservations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.aws.names import ACCOUNT, arn, hex_id
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
