"""What SNS asks of a topic's policy and of a subscription.

Source: Amazon SNS API, SetTopicAttributes and Subscribe; localstack/localstack, services/sns/provider.py (the words on
endpoints).
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT
from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

__all__: list[str] = []

_TOPIC: Final = "aws:sns/topic:Topic"
_POLICY: Final = "aws:sns/topicPolicy:TopicPolicy"
_SUBSCRIPTION: Final = "aws:sns/topicSubscription:TopicSubscription"
_OPERATIONS: Final = {_POLICY: ("SetTopicAttributes", "arn"), _SUBSCRIPTION: ("Subscribe", "topic")}


@rule(_POLICY)
@rule(_SUBSCRIPTION)
def topic_exists(thing: Thing) -> None:
    """Topics of other accounts are taken on trust."""
    operation, name = _OPERATIONS[thing.token]
    arn = str(thing.inputs[name])
    if arn.split(":")[4:5] == [ACCOUNT] and thing.other(_TOPIC, arn) is None:
        raise refused(thing, f"SNS: {operation}", 404, "NotFound", "Topic does not exist")


@rule(_SUBSCRIPTION)
def endpoint_is_of_its_protocol(thing: Thing) -> None:
    """Of a webhook its URL, of mail an address."""
    protocol, endpoint = thing.inputs["protocol"], str(thing.inputs["endpoint"])
    fits = endpoint.startswith(f"{protocol}://") if protocol in ("http", "https") else "@" in endpoint
    if protocol in ("http", "https", "email", "email-json") and not fits:
        message = "Invalid parameter: Endpoint must match the specified protocol"
        raise refused(thing, "SNS: Subscribe", 400, "InvalidParameter", message)
