"""Topics of SNS, and their subscriptions.

Source: Amazon SNS API, CreateTopic, Subscribe and GetSubscriptionAttributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT
from gpucluster.sandbox.clouds.aws.model import ManagedResource, models
from gpucluster.sandbox.clouds.naming import random_hex

_ASKED_FIRST: Final = ("email", "email-json", "http", "https")


@models(
    "aws:sns/topic:Topic",
    id=lambda managed: managed.arn("sns", managed.name),
    defaults={"contentBasedDeduplication": False, "fifoTopic": False},
)
def topic(managed: ManagedResource) -> Mapping[str, Any]:
    return {"arn": managed.id, "owner": ACCOUNT}


@models("aws:sns/topicPolicy:TopicPolicy", id=lambda managed: managed.inputs["arn"])
def topic_policy(_: ManagedResource) -> Mapping[str, Any]:
    return {"owner": ACCOUNT}


@models(
    "aws:sns/topicSubscription:TopicSubscription",
    id=lambda managed: f"{managed.inputs['topic']}:{'-'.join(random_hex(length) for length in (8, 4, 4, 4, 12))}",
    defaults={"confirmationTimeoutInMinutes": 1, "endpointAutoConfirms": False, "rawMessageDelivery": False},
)
def topic_subscription(managed: ManagedResource) -> Mapping[str, Any]:
    """Unconfirmed: the recipient of a mail or the endpoint confirms a subscription, and the sandbox has none."""
    confirms = managed.inputs.get("endpointAutoConfirms") is True
    return {
        "arn": managed.id,
        "confirmationWasAuthenticated": False,
        "ownerId": ACCOUNT,
        "pendingConfirmation": managed.inputs["protocol"] in _ASKED_FIRST and not confirms,
    }
