"""An SNS topic given by a spec, and the steps required for receivers of alerts on AWS. Imports no Pulumi."""

from __future__ import annotations

import re
from typing import Final

from gpucluster.components.aws.location import Location
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.operations import Alerts

# Source: Amazon SNS API, CreateTopic (names); a FIFO topic ends in .fifo, and Amazon Managed Service for Prometheus
# sends to standard ones (its user guide, AMP-alertmanager-receiver-config).
_TOPIC: Final = r"(?a)^arn:aws[a-z-]*:sns:(?P<region>[a-z0-9-]+):(?P<account>\d{12}):[A-Za-z0-9_-]{1,256}$"
_FIELD: Final = "telemetry.alerts.topic"


def report_receivers(receivers: Alerts | None, planning: Planning[Location]) -> None:
    """Checks the topic, and notes the steps required before each receiver gets alerts.

    Sources: Amazon Managed Service for Prometheus user guide, AMP-alert-manager (topics in the same account) and
    AMP-alertmanager-receiver-AMPpermission; Amazon SNS developer guide, "Email notifications" and "Confirming the
    subscription" of HTTP endpoints.
    """
    if receivers is None:
        return
    if receivers.mail:
        planning.notes.append(
            "alerts: AWS mails each address a confirmation link, and sends alerts only after it is confirmed"
        )
    if receivers.webhook:
        planning.notes.append(
            "alerts: SNS posts a SubscribeURL to the webhook, and sends alerts only after the webhook fetches it; "
            "alerts are SNS messages in JSON, which chat services do not read natively"
        )
    if receivers.topic:
        _check_topic(receivers.topic, planning)
        planning.notes.append(
            f"alerts: the policy of {receivers.topic} must allow aps.amazonaws.com sns:Publish and "
            "sns:GetTopicAttributes; if the topic is encrypted with your key, the key policy must allow "
            "kms:GenerateDataKey* and kms:Decrypt"
        )


def _check_topic(topic: str, planning: Planning[Location]) -> None:
    found, account = re.fullmatch(_TOPIC, topic), planning.location.account
    if found is None:
        fix = "write the ARN of a standard SNS topic, such as arn:aws:sns:us-east-1:123456789012:pager"
        planning.refuse(_FIELD, f"is {topic!r}", fix)
    elif account not in (None, found["account"]):
        seen = f"is {account}, but {_FIELD} of the spec is in {found['account']}"
        planning.refuse_place("account", seen, "write a topic of this account: alerts reach no other")


def topic_region(topic: str) -> str:
    """The region in its ARN."""
    return topic.split(":")[3]
