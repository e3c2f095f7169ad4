"""Topics of SNS, and who they send to.

Source: Amazon SNS API, CreateTopic, Subscribe and GetSubscriptionAttributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT
from gpucluster.sandbox.clouds.aws.model import Thing, models
from gpucluster.sandbox.clouds.naming import random_hex

__all__: list[str] = []

_ASKED_FIRST: Final = ("email", "email-json", "http", "https")


@models(
    "aws:sns/topic:Topic",
    id=lambda thing: thing.arn("sns", thing.name),
    defaults={"contentBasedDeduplication": False, "fifoTopic": False},
)
def topic(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.id, "owner": ACCOUNT}


@models("aws:sns/topicPolicy:TopicPolicy", id=lambda thing: thing.inputs["arn"])
def topic_policy(_: Thing) -> Mapping[str, Any]:
    return {"owner": ACCOUNT}


@models(
    "aws:sns/topicSubscription:TopicSubscription",
    id=lambda thing: f"{thing.inputs['topic']}:{'-'.join(random_hex(length) for length in (8, 4, 4, 4, 12))}",
    defaults={"confirmationTimeoutInMinutes": 1, "endpointAutoConfirms": False, "rawMessageDelivery": False},
)
def topic_subscription(thing: Thing) -> Mapping[str, Any]:
    """Whoever reads a mail or an endpoint confirms it, which nobody does here."""
    confirms = thing.inputs.get("endpointAutoConfirms") is True
    return {
        "arn": thing.id,
        "confirmationWasAuthenticated": False,
        "ownerId": ACCOUNT,
        "pendingConfirmation": thing.inputs["protocol"] in _ASKED_FIRST and not confirms,
    }
