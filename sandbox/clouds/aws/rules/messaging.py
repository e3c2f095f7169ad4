"""What SQS and EventBridge ask of each other's things."""

from __future__ import annotations

from typing import Any, Final

from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

__all__: list[str] = []

_LONGEST_TARGET_ID: Final = 64


@rule("aws:sqs/queuePolicy:QueuePolicy")
def queue_of_a_policy_exists(thing: Thing) -> None:
    """A policy is an attribute of its queue (SQS API, SetQueueAttributes)."""
    if thing.other("aws:sqs/queue:Queue", thing.inputs["queueUrl"]) is None:
        message = "The specified queue does not exist."
        raise refused(thing, "SQS: SetQueueAttributes", 400, "AWS.SimpleQueueService.NonExistentQueue", message)


@rule("aws:cloudwatch/eventTarget:EventTarget")
def rule_of_a_target_exists(thing: Thing) -> None:
    """A target hangs on a rule of its bus (EventBridge API, PutTargets)."""
    name, bus = thing.inputs["rule"], _bus(thing.inputs.get("eventBusName"))
    rules = thing.others("aws:cloudwatch/eventRule:EventRule", name)
    if not any(entry.name == name and _bus(entry.inputs.get("eventBusName")) == bus for entry in rules):
        message = f"Rule {name} does not exist on EventBus {bus}."
        raise refused(thing, "EventBridge: PutTargets", 400, "ResourceNotFoundException", message)


@rule("aws:cloudwatch/eventTarget:EventTarget")
def target_id_is_short(thing: Thing) -> None:
    """At most 64 characters, those that Pulumi makes of the resource's name, too (EventBridge API, Target)."""
    given = str(thing.inputs["targetId"])
    if len(given) > _LONGEST_TARGET_ID:
        message = (
            f"1 validation error detected: Value '{given}' at 'targets.1.member.id' failed to satisfy constraint: "
            f"Member must have length less than or equal to {_LONGEST_TARGET_ID}"
        )
        raise refused(thing, "EventBridge: PutTargets", 400, "ValidationException", message)


def _bus(name: Any) -> str:
    return str(name or "default")
