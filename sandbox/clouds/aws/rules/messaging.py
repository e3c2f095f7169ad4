"""Requirements of SQS, EventBridge and SNS for related resources.

Source: Amazon SNS API, SetTopicAttributes and Subscribe; localstack/localstack, services/sns/provider.py (the text on
endpoints).
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.aws.names import ACCOUNT

_LONGEST_TARGET_ID: Final = 64


@rule("aws:sqs/queuePolicy:QueuePolicy")
def queue_of_a_policy_exists(managed: ManagedResource) -> None:
    """A policy requires its queue, of which it is an attribute (SQS API, SetQueueAttributes)."""
    if managed.other("aws:sqs/queue:Queue", managed.inputs["queueUrl"]) is None:
        message = "The specified queue does not exist."
        raise refused(managed, "SQS: SetQueueAttributes", 400, "AWS.SimpleQueueService.NonExistentQueue", message)


@rule("aws:cloudwatch/eventTarget:EventTarget")
def rule_of_a_target_exists(managed: ManagedResource) -> None:
    """A target requires a rule of its bus (EventBridge API, PutTargets)."""
    name, bus = managed.inputs["rule"], _bus(managed.inputs.get("eventBusName"))
    rules = managed.others("aws:cloudwatch/eventRule:EventRule", name)
    if not any(entry.name == name and _bus(entry.inputs.get("eventBusName")) == bus for entry in rules):
        message = f"Rule {name} does not exist on EventBus {bus}."
        raise refused(managed, "EventBridge: PutTargets", 400, "ResourceNotFoundException", message)


@rule("aws:cloudwatch/eventTarget:EventTarget")
def target_id_is_short(managed: ManagedResource) -> None:
    """At most 64 characters, including ids that Pulumi derives from the resource's name (EventBridge API, Target)."""
    given = str(managed.inputs["targetId"])
    if len(given) > _LONGEST_TARGET_ID:
        message = (
            f"1 validation error detected: Value '{given}' at 'targets.1.member.id' failed to satisfy constraint: "
            f"Member must have length less than or equal to {_LONGEST_TARGET_ID}"
        )
        raise refused(managed, "EventBridge: PutTargets", 400, "ValidationException", message)


def _bus(name: Any) -> str:
    return str(name or "default")


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
