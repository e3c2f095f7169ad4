"""IAM roles and policies, which have no region."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import arn
from gpucluster.sandbox.clouds.aws.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex

__all__: list[str] = []


def _unique_id(prefix: str) -> str:
    """An IAM unique id: four letters for the kind and 17 more characters."""
    return f"{prefix}{random_hex(17).upper()}"


def _path(thing: Thing) -> str:
    return thing.inputs.get("path") or "/"


@models("aws:iam/role:Role", id=lambda thing: thing.name, defaults={"maxSessionDuration": 3600, "path": "/"})
def role(thing: Thing) -> Mapping[str, Any]:
    return {
        "arn": arn("iam", "", f"role{_path(thing)}{thing.name}"),
        "createDate": thing.keep("createDate", lambda: datetime.now(UTC).isoformat(timespec="seconds")),
        "uniqueId": thing.keep("uniqueId", lambda: _unique_id("AROA")),
    }


@models("aws:iam/instanceProfile:InstanceProfile", id=lambda thing: thing.name, defaults={"path": "/"})
def instance_profile(thing: Thing) -> Mapping[str, Any]:
    return {
        "arn": arn("iam", "", f"instance-profile{_path(thing)}{thing.name}"),
        "createDate": thing.keep("createDate", lambda: datetime.now(UTC).isoformat(timespec="seconds")),
        "uniqueId": thing.keep("uniqueId", lambda: _unique_id("AIPA")),
    }


@models("aws:iam/rolePolicy:RolePolicy", id=lambda thing: f"{thing.inputs['role']}:{thing.name}")
def role_policy(_: Thing) -> Mapping[str, Any]:
    return {}


@models(
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    id=lambda thing: f"{thing.inputs['role']}/{thing.inputs['policyArn']}",
)
def role_policy_attachment(_: Thing) -> Mapping[str, Any]:
    return {}


@models(
    "aws:iam/policy:Policy",
    id=lambda thing: arn("iam", "", f"policy{_path(thing)}{thing.name}"),
    defaults={"path": "/"},
)
def policy(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.id, "policyId": thing.keep("policyId", lambda: _unique_id("ANPA"))}
