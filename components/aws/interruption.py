"""EC2 interruption events, for Karpenter to move jobs in time.

Source: cloudformation.yaml of the getting-started guide, aws/karpenter-provider-aws v1.14.1.
"""

from __future__ import annotations

import json
from typing import Any

import pulumi
from pulumi_aws import cloudwatch, sqs

# suffix of the rule -> source and kind of its events
EVENTS = {
    "health": ("aws.health", "AWS Health Event"),
    "spot": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "state": ("aws.ec2", "EC2 Instance State-change Notification"),
    "reservation": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
}

_RETENTION_SECONDS = 300
_TARGET_ID = "karpenter"


def interruption_queue(name: str, opts: pulumi.ResourceOptions) -> tuple[sqs.Queue, list[pulumi.Resource]]:
    """The queue, and the resources that fill it, on which others depend."""
    queue = sqs.Queue(
        f"{name}-queue",
        # An older warning is useless: the machine no longer exists.
        message_retention_seconds=_RETENTION_SECONDS,
        sqs_managed_sse_enabled=True,
        opts=opts,
    )
    ready: list[pulumi.Resource] = [
        sqs.QueuePolicy(f"{name}-queue-policy", queue_url=queue.url, policy=queue.arn.apply(_policy), opts=opts)
    ]
    for suffix, (source, kind) in EVENTS.items():
        rule = cloudwatch.EventRule(
            f"{name}-{suffix}",
            description=f"{kind} for Karpenter",
            event_pattern=json.dumps({"source": [source], "detail-type": [kind]}),
            opts=opts,
        )
        ready.append(_target(f"{name}-{suffix}-target", rule, queue, opts))
    return queue, ready


def _target(
    name: str, rule: cloudwatch.EventRule, queue: sqs.Queue, opts: pulumi.ResourceOptions
) -> cloudwatch.EventTarget:
    """The queue as the target of a rule. Without an id, its own long name would be the id, which EventBridge refuses
    above 64 characters; a changed id replaces the target, so existing targets keep theirs.

    Source: Amazon EventBridge API, Target.
    """
    keeps = pulumi.ResourceOptions(ignore_changes=["targetId"])
    return cloudwatch.EventTarget(
        name, rule=rule.name, arn=queue.arn, target_id=_TARGET_ID, opts=pulumi.ResourceOptions.merge(opts, keeps)
    )


def _policy(queue_arn: str) -> str:
    """EventBridge and SQS may send; access without TLS is denied."""
    statements: list[dict[str, Any]] = [
        {
            "Effect": "Allow",
            "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
            "Action": "sqs:SendMessage",
            "Resource": queue_arn,
        },
        {
            "Sid": "DenyHTTP",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "sqs:*",
            "Resource": queue_arn,
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        },
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})
