"""Queues, event rules and log groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, DOMAIN
from gpucluster.sandbox.clouds.aws.model import Thing, models

__all__: list[str] = []


def _queue_url(thing: Thing) -> str:
    return f"https://sqs.{thing.region}.{DOMAIN}/{ACCOUNT}/{thing.name}"


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
def queue(thing: Thing) -> Mapping[str, Any]:
    """Defaults are those of the SQS API, SetQueueAttributes."""
    encrypted = thing.inputs.get("sqsManagedSseEnabled")
    return {
        "arn": thing.arn("sqs", thing.name),
        "sqsManagedSseEnabled": thing.inputs.get("kmsMasterKeyId") is None if encrypted is None else encrypted,
        "url": thing.id,
    }


@models("aws:sqs/queuePolicy:QueuePolicy", id=lambda thing: thing.inputs["queueUrl"])
def queue_policy(_: Thing) -> Mapping[str, Any]:
    return {}


@models("aws:cloudwatch/logGroup:LogGroup", id=lambda thing: thing.name, defaults={"logGroupClass": "STANDARD"})
def log_group(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("logs", f"log-group:{thing.name}")}


@models("aws:cloudwatch/eventRule:EventRule", id=lambda thing: thing.name, defaults={"eventBusName": "default"})
def event_rule(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("events", f"rule/{thing.name}")}


@models(
    "aws:cloudwatch/eventTarget:EventTarget",
    id=lambda thing: f"{thing.inputs['rule']}-{thing.inputs['targetId']}",
    defaults={"eventBusName": "default"},
)
def event_target(_: Thing) -> Mapping[str, Any]:
    return {}
