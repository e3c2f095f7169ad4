"""What SQS and EventBridge ask of each other's things."""

from __future__ import annotations

from typing import Any

from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

__all__: list[str] = []


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
    rules = thing.others("aws:cloudwatch/eventRule:EventRule")
    if not any(entry.name == name and _bus(entry.inputs.get("eventBusName")) == bus for entry in rules):
        message = f"Rule {name} does not exist on EventBus {bus}."
        raise refused(thing, "EventBridge: PutTargets", 400, "ResourceNotFoundException", message)


def _bus(name: Any) -> str:
    return str(name or "default")
