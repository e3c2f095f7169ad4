"""IAM roles and policies, which have no region."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import arn
from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.naming import random_hex


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
