"""Topics of SNS: what they are, and what they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

TOPIC, POLICY = "sns/topic:Topic", "sns/topicPolicy:TopicPolicy"
SUBSCRIPTION = "sns/topicSubscription:TopicSubscription"
ARN = "arn:aws:sns:us-east-1:000000000000:t"


@pytest.mark.parametrize(
    ("protocol", "endpoint", "more", "pending"),
    [
        ("email", "a@example.com", {}, True),
        ("https", "https://a.example", {}, True),
        ("https", "https://a.example", {"endpointAutoConfirms": True}, False),
        ("sqs", "arn:aws:sqs:us-east-1:000000000000:q", {}, False),
    ],
)
def test_a_subscription_is_under_its_topic_and_waits_for_whom_it_asks(
    create: Create, protocol: str, endpoint: str, more: dict[str, Any], pending: bool
) -> None:
    assert create(TOPIC, name="t").id == ARN
    made = create(SUBSCRIPTION, topic=ARN, protocol=protocol, endpoint=endpoint, **more)
    assert re.fullmatch(rf"{ARN}:[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}", made.id)
    assert (made.outputs["arn"], made.outputs["pendingConfirmation"]) == (made.id, pending)


def test_a_policy_is_an_attribute_of_its_topic(create: Create) -> None:
    create(TOPIC, name="t")
    assert create(POLICY, arn=ARN, policy='{"Version": "2012-10-17", "Statement": []}').id == ARN


@pytest.mark.parametrize(
    ("token", "inputs"),
    [(POLICY, {"arn": ARN, "policy": "{}"}), (SUBSCRIPTION, {"topic": ARN, "protocol": "email", "endpoint": "a@b.c"})],
)
def test_what_belongs_to_a_topic_needs_it(create: Create, token: str, inputs: dict[str, Any]) -> None:
    with pytest.raises(CloudError, match="Topic does not exist"):
        create(token, **inputs)


@pytest.mark.parametrize(
    ("protocol", "endpoint"), [("https", "http://a.example"), ("http", "a.example"), ("email", "a.example")]
)
def test_an_endpoint_is_of_its_protocol(create: Create, protocol: str, endpoint: str) -> None:
    create(TOPIC, name="t")
    with pytest.raises(CloudError, match="Endpoint must match the specified protocol"):
        create(SUBSCRIPTION, topic=ARN, protocol=protocol, endpoint=endpoint)
