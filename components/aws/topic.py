"""A topic of SNS that a spec names, and what whoever is told of alerts has to do on AWS. Imports no Pulumi."""

from __future__ import annotations

import re
from typing import Final

from gpucluster.components.aws.location import Location
from gpucluster.components.problem import Problem
from gpucluster.components.spec.operations import Alerts

# Source: Amazon SNS API, CreateTopic (names); a FIFO topic ends in .fifo, and Amazon Managed Service for Prometheus
# sends to standard ones (its user guide, AMP-alertmanager-receiver-config).
_TOPIC: Final = r"(?a)^arn:aws[a-z-]*:sns:(?P<region>[a-z0-9-]+):(?P<account>\d{12}):[A-Za-z0-9_-]{1,256}$"
_FIELD: Final = "telemetry.alerts.topic"


def topic_problems(receivers: Alerts | None) -> list[Problem]:
    """An ARN that is no standard topic's."""
    if receivers is None or receivers.topic is None or re.fullmatch(_TOPIC, receivers.topic):
        return []
    fix = "write the ARN of a standard topic of SNS, such as arn:aws:sns:us-east-1:123456789012:pager"
    return [Problem(_FIELD, f"is {receivers.topic!r}", fix)]


def topic_place_problems(receivers: Alerts | None, location: Location) -> list[Problem]:
    """A topic of another account, in the words of the stack's configuration.

    Source: Amazon Managed Service for Prometheus user guide, AMP-alert-manager (topics in the same account).
    """
    found = re.fullmatch(_TOPIC, (receivers.topic if receivers else None) or "")
    if found is None or location.account in (None, found["account"]):
        return []
    seen = f"is {location.account}, and {_FIELD} of the spec is of {found['account']}"
    return [Problem("account", seen, "name a topic of the account: alerts reach no other")]


def topic_region(topic: str) -> str:
    """The region in its ARN."""
    return topic.split(":")[3]


def receiver_notes(receivers: Alerts | None) -> list[str]:
    """What each has to do before it gets anything.

    Sources: Amazon SNS developer guide, "Email notifications" and "Confirming the subscription" of HTTP endpoints;
    Amazon Managed Service for Prometheus user guide, AMP-alertmanager-receiver-AMPpermission.
    """
    if receivers is None:
        return []
    notes: list[str] = []
    if receivers.mail:
        notes.append("alerts: AWS mails each address a link, and nothing more before it is followed")
    if receivers.webhook:
        notes.append(
            "alerts: SNS posts the webhook a SubscribeURL, and nothing more before that is fetched; then messages of "
            "SNS in JSON, which chat services do not read by themselves"
        )
    if receivers.topic:
        notes.append(
            f"alerts: the policy of {receivers.topic} has to let aps.amazonaws.com do sns:Publish and "
            "sns:GetTopicAttributes, and that of a key of yours on it kms:GenerateDataKey* and kms:Decrypt"
        )
    return notes
