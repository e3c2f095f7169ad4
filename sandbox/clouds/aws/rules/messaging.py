"""Requirements of SQS and EventBridge for related resources."""

from __future__ import annotations

from typing import Any, Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

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
