"""SNS's requirements for a topic's policy and for a subscription.

Source: Amazon SNS API, SetTopicAttributes and Subscribe; localstack/localstack, services/sns/provider.py (the words on
endpoints).
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.names import ACCOUNT
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

_TOPIC: Final = "aws:sns/topic:Topic"
_POLICY: Final = "aws:sns/topicPolicy:TopicPolicy"
_SUBSCRIPTION: Final = "aws:sns/topicSubscription:TopicSubscription"
_OPERATIONS: Final = {_POLICY: ("SetTopicAttributes", "arn"), _SUBSCRIPTION: ("Subscribe", "topic")}


@rule(_POLICY)
@rule(_SUBSCRIPTION)
def topic_exists(managed: ManagedResource) -> None:
    """Topics of other accounts are not checked."""
    operation, name = _OPERATIONS[managed.token]
    arn = str(managed.inputs[name])
    if arn.split(":")[4:5] == [ACCOUNT] and managed.other(_TOPIC, arn) is None:
        raise refused(managed, f"SNS: {operation}", 404, "NotFound", "Topic does not exist")


@rule(_SUBSCRIPTION)
def endpoint_is_of_its_protocol(managed: ManagedResource) -> None:
    """A URL for a webhook, an address for mail."""
    protocol, endpoint = managed.inputs["protocol"], str(managed.inputs["endpoint"])
    fits = endpoint.startswith(f"{protocol}://") if protocol in ("http", "https") else "@" in endpoint
    if protocol in ("http", "https", "email", "email-json") and not fits:
        message = "Invalid parameter: Endpoint must match the specified protocol"
        raise refused(managed, "SNS: Subscribe", 400, "InvalidParameter", message)
