"""Receivers of alerts on AWS: the alert manager of a workspace sends to SNS topics."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import pulumi
from pulumi_aws import amp, kms, sns

from gpucluster.components.aws.partition import partition
from gpucluster.components.aws.planning.receivers import topic_region
from gpucluster.components.kubernetes.telemetry.rules import alertmanager_config
from gpucluster.components.spec.operations import Alerts

_SENDER: Final = {"Service": "aps.amazonaws.com"}
# At most 100 characters of ASCII, which the default template's subject, with all labels, may exceed. Source: Amazon
# Managed Service for Prometheus user guide, AMP-alertmanager-receiver-config and its rules of truncation.
_SUBJECT: Final = "{{ .Status }}: {{ .GroupLabels.alertname }} in {{ .CommonLabels.stack }}"


def alert_manager(
    name: str, receivers: Alerts, *, workspace: amp.Workspace, region: str, opts: pulumi.ResourceOptions
) -> None:
    """Mail and webhook subscribe to the cluster's own topic; alerts also go to the user's topic.

    Source: Amazon Managed Service for Prometheus user guide, AMP-alertmanager-config and AMP-alertmanager-receiver.
    """
    topics: list[tuple[pulumi.Input[str], str]] = []
    ready: list[pulumi.Resource] = []
    if receivers.mail or receivers.webhook:
        topic, policy = _topic(f"{name}-topic", workspace, region, opts)
        topics.append((topic.arn, region))
        ready.append(policy)
        for address in receivers.mail:
            sns.TopicSubscription(f"{name}-{address}", topic=topic.arn, protocol="email", endpoint=address, opts=opts)
        if receivers.webhook:
            url = pulumi.Output.secret(receivers.webhook.get_secret_value())
            sns.TopicSubscription(f"{name}-webhook", topic=topic.arn, protocol="https", endpoint=url, opts=opts)
    if receivers.topic:
        topics.append((receivers.topic, topic_region(receivers.topic)))
    amp.AlertManagerDefinition(
        f"{name}-manager",
        workspace_id=workspace.id,
        definition=pulumi.Output.all(*(arn for arn, _ in topics)).apply(
            lambda arns: _definition(dict(zip(arns, (there for _, there in topics), strict=True)))
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=ready)),
    )


def _definition(topics: Mapping[str, str]) -> str:
    """topics: ARN -> region. JSON is valid YAML, which the workspace expects."""
    ways = [{"topic_arn": arn, "sigv4": {"region": region}, "subject": _SUBJECT} for arn, region in topics.items()]
    return json.dumps({"alertmanager_config": json.dumps(alertmanager_config({"sns_configs": ways}), indent=2)})


def _topic(
    name: str, workspace: amp.Workspace, region: str, opts: pulumi.ResourceOptions
) -> tuple[sns.Topic, sns.TopicPolicy]:
    """A topic to which only this workspace may publish, and its policy. AWS's own key of SNS admits no service, so it
    has its own key; no data stays encrypted with it, so it is deleted as early as possible, after 7 days.

    Source: Amazon Managed Service for Prometheus user guide, AMP-alertmanager-receiver-AMPpermission.
    """
    key = kms.Key(
        f"{name}-key",
        description="Alerts of one cluster on their way",
        enable_key_rotation=True,
        deletion_window_in_days=7,
        policy=workspace.arn.apply(lambda arn: _document(*_key_statements(partition(region), _account(arn)))),
        opts=opts,
    )
    topic = sns.Topic(name, kms_master_key_id=key.arn, opts=opts)
    policy = sns.TopicPolicy(
        f"{name}-policy",
        arn=topic.arn,
        policy=pulumi.Output.all(topic.arn, workspace.arn).apply(lambda arns: _document(_publish(*arns))),
        opts=opts,
    )
    return topic, policy


def _account(arn: str) -> str:
    return arn.split(":")[4]


def _key_statements(part: str, account: str) -> list[dict[str, Any]]:
    """The first is standard for every key: without it, nobody could change or delete the key."""
    return [
        {
            "Effect": "Allow",
            "Principal": {"AWS": f"arn:{part}:iam::{account}:root"},
            "Action": "kms:*",
            "Resource": "*",
        },
        {
            "Effect": "Allow",
            "Principal": _SENDER,
            "Action": ["kms:GenerateDataKey*", "kms:Decrypt"],
            "Resource": "*",
        },
    ]


def _publish(topic: str, workspace: str) -> dict[str, Any]:
    return {
        "Effect": "Allow",
        "Principal": _SENDER,
        "Action": ["sns:Publish", "sns:GetTopicAttributes"],
        "Resource": topic,
        "Condition": {
            "ArnEquals": {"aws:SourceArn": workspace},
            "StringEquals": {"aws:SourceAccount": _account(workspace)},
        },
    }


def _document(*statements: Mapping[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements})
