"""Amazon Managed Service for Prometheus: workspaces, their rules and alert managers, and collectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, DOMAIN
from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.naming import random_hex


def _unique() -> str:
    return "-".join(random_hex(length) for length in (8, 4, 4, 4, 12))


@models("aws:amp/workspace:Workspace", id=lambda _: f"ws-{_unique()}")
def workspace(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "arn": managed.arn("aps", f"workspace/{managed.id}"),
        "prometheusEndpoint": f"https://aps-workspaces.{managed.region}.{DOMAIN}/workspaces/{managed.id}/",
    }


@models(
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace",
    id=lambda managed: managed.arn("aps", f"rulegroupsnamespace/{managed.inputs['workspaceId']}/{managed.name}"),
)
def rule_group_namespace(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.id}


@models("aws:amp/alertManagerDefinition:AlertManagerDefinition", id=lambda managed: managed.inputs["workspaceId"])
def alert_manager_definition(_: ManagedResource) -> Mapping[str, Any]:
    return {}


@models("aws:amp/scraper:Scraper", id=lambda _: f"s-{_unique()}")
def scraper(managed: ManagedResource) -> Mapping[str, Any]:
    """AWS creates and owns its role."""
    path = "role/aws-service-role/scraper.aps.amazonaws.com/AWSServiceRoleForAmazonPrometheusScraper"
    return {
        "arn": managed.arn("aps", f"scraper/{managed.id}"),
        "roleArn": managed.keep("roleArn", lambda: f"arn:aws:iam::{ACCOUNT}:{path}_{random_hex(12)}"),
    }
