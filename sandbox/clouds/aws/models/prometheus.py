"""Amazon Managed Service for Prometheus: workspaces, their rules and alert managers, and collectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, DOMAIN
from gpucluster.sandbox.clouds.aws.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex

__all__: list[str] = []


def _unique() -> str:
    return "-".join(random_hex(length) for length in (8, 4, 4, 4, 12))


@models("aws:amp/workspace:Workspace", id=lambda _: f"ws-{_unique()}")
def workspace(thing: Thing) -> Mapping[str, Any]:
    return {
        "arn": thing.arn("aps", f"workspace/{thing.id}"),
        "prometheusEndpoint": f"https://aps-workspaces.{thing.region}.{DOMAIN}/workspaces/{thing.id}/",
    }


@models(
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace",
    id=lambda thing: thing.arn("aps", f"rulegroupsnamespace/{thing.inputs['workspaceId']}/{thing.name}"),
)
def rule_group_namespace(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.id}


@models("aws:amp/alertManagerDefinition:AlertManagerDefinition", id=lambda thing: thing.inputs["workspaceId"])
def alert_manager_definition(_: Thing) -> Mapping[str, Any]:
    return {}


@models("aws:amp/scraper:Scraper", id=lambda _: f"s-{_unique()}")
def scraper(thing: Thing) -> Mapping[str, Any]:
    """A role that AWS makes and keeps for it."""
    path = "role/aws-service-role/scraper.aps.amazonaws.com/AWSServiceRoleForAmazonPrometheusScraper"
    return {
        "arn": thing.arn("aps", f"scraper/{thing.id}"),
        "roleArn": thing.keep("roleArn", lambda: f"arn:aws:iam::{ACCOUNT}:{path}_{random_hex(12)}"),
    }
