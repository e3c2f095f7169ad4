"""Queues, event rules and log groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, DOMAIN
from gpucluster.sandbox.clouds.aws.model import ManagedResource, models


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
