"""An SNS topic given by a spec, and the steps required for receivers of alerts on AWS. Imports no Pulumi."""

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
    """An ARN that does not name a standard topic."""
    if receivers is None or receivers.topic is None or re.fullmatch(_TOPIC, receivers.topic):
        return []
    fix = "write the ARN of a standard SNS topic, such as arn:aws:sns:us-east-1:123456789012:pager"
    return [Problem(_FIELD, f"is {receivers.topic!r}", fix)]


def topic_place_problems(receivers: Alerts | None, location: Location) -> list[Problem]:
    """A topic of another account, in the terms of the stack's configuration.

    Source: Amazon Managed Service for Prometheus user guide, AMP-alert-manager (topics in the same account).
    """
    found = re.fullmatch(_TOPIC, (receivers.topic if receivers else None) or "")
    if found is None or location.account in (None, found["account"]):
        return []
    seen = f"is {location.account}, but {_FIELD} of the spec is in {found['account']}"
    return [Problem("account", seen, "write a topic of this account: alerts reach no other")]


def topic_region(topic: str) -> str:
    """The region in its ARN."""
    return topic.split(":")[3]


def receiver_notes(receivers: Alerts | None) -> list[str]:
    """Steps required before each receiver gets alerts.

    Sources: Amazon SNS developer guide, "Email notifications" and "Confirming the subscription" of HTTP endpoints;
    Amazon Managed Service for Prometheus user guide, AMP-alertmanager-receiver-AMPpermission.
    """
    if receivers is None:
        return []
    notes: list[str] = []
    if receivers.mail:
        notes.append("alerts: AWS mails each address a confirmation link, and sends alerts only after it is confirmed")
    if receivers.webhook:
        notes.append(
            "alerts: SNS posts a SubscribeURL to the webhook, and sends alerts only after the webhook fetches it; "
            "alerts are SNS messages in JSON, which chat services do not read natively"
        )
    if receivers.topic:
        notes.append(
            f"alerts: the policy of {receivers.topic} must allow aps.amazonaws.com sns:Publish and "
            "sns:GetTopicAttributes; if the topic is encrypted with your key, the key policy must allow "
            "kms:GenerateDataKey* and kms:Decrypt"
        )
    return notes
