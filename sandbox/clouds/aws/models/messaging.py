"""Queues, event rules and log groups.

Source: Amazon SNS API, CreateTopic, Subscribe and GetSubscriptionAttributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.aws.names import ACCOUNT, DOMAIN
from gpucluster.sandbox.clouds.model import random_hex


def _queue_url(managed: ManagedResource) -> str:
    return f"https://sqs.{managed.region}.{DOMAIN}/{ACCOUNT}/{managed.name}"


@models(
    "aws:sqs/queue:Queue",
    id=_queue_url,
    defaults={
        "delaySeconds": 0,
        "fifoQueue": False,
        "kmsDataKeyReusePeriodSeconds": 300,
        "maxMessageSize": 262144,
        "messageRetentionSeconds": 345600,
        "visibilityTimeoutSeconds": 30,
    },
)
def queue(managed: ManagedResource) -> Mapping[str, Any]:
    """Defaults are those of the SQS API, SetQueueAttributes."""
    encrypted = managed.inputs.get("sqsManagedSseEnabled")
    return {
        "arn": managed.arn("sqs", managed.name),
        "sqsManagedSseEnabled": managed.inputs.get("kmsMasterKeyId") is None if encrypted is None else encrypted,
        "url": managed.id,
    }


@models("aws:sqs/queuePolicy:QueuePolicy", id=lambda managed: managed.inputs["queueUrl"])
def queue_policy(_: ManagedResource) -> Mapping[str, Any]:
    return {}


@models("aws:cloudwatch/logGroup:LogGroup", id=lambda managed: managed.name, defaults={"logGroupClass": "STANDARD"})
def log_group(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("logs", f"log-group:{managed.name}")}


@models("aws:cloudwatch/eventRule:EventRule", id=lambda managed: managed.name, defaults={"eventBusName": "default"})
def event_rule(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.arn("events", f"rule/{managed.name}")}


@models(
    "aws:cloudwatch/eventTarget:EventTarget",
    id=lambda managed: f"{managed.inputs['rule']}-{managed.inputs['targetId']}",
    defaults={"eventBusName": "default"},
)
def event_target(_: ManagedResource) -> Mapping[str, Any]:
    return {}


_ASKED_FIRST: Final = ("email", "email-json", "http", "https")


@models(
    "aws:sns/topic:Topic",
    id=lambda managed: managed.arn("sns", managed.name),
    defaults={"contentBasedDeduplication": False, "fifoTopic": False},
)
def topic(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.id, "owner": ACCOUNT}


@models("aws:sns/topicPolicy:TopicPolicy", id=lambda managed: managed.inputs["arn"])
def topic_policy(_: ManagedResource) -> Mapping[str, Any]:
    return {"owner": ACCOUNT}


@models(
    "aws:sns/topicSubscription:TopicSubscription",
    id=lambda managed: f"{managed.inputs['topic']}:{'-'.join(random_hex(length) for length in (8, 4, 4, 4, 12))}",
    defaults={"confirmationTimeoutInMinutes": 1, "endpointAutoConfirms": False, "rawMessageDelivery": False},
)
def topic_subscription(managed: ManagedResource) -> Mapping[str, Any]:
    """Unconfirmed: the recipient of a mail or the endpoint confirms a subscription, and the sandbox has none."""
    confirms = managed.inputs.get("endpointAutoConfirms") is True
    return {
        "arn": managed.id,
        "confirmationWasAuthenticated": False,
        "ownerId": ACCOUNT,
        "pendingConfirmation": managed.inputs["protocol"] in _ASKED_FIRST and not confirms,
    }


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
