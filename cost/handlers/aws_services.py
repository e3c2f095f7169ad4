"""ECS services on Fargate."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

_TASK: Final = "aws:ecs/taskDefinition:TaskDefinition"
_UNITS_PER_VCPU: Final = 1024
_MIB_PER_GIB: Final = 1024
_ECS: Final = "https://aws.amazon.com/ecs/pricing/"


@prices("aws:ecs/service:Service")
def service(item: Pricing) -> Iterator[CostLine | Free | NotPriced]:
    """vCPUs and memory of `desiredCount` tasks all month on Fargate (Fargate price page); else no separate charge.

    Linux on x86 is assumed, and 20 GB of temporary disk, which are included.
    """
    if item.text("launchType", default="EC2") != "FARGATE":
        if item.items("capacityProviderStrategies"):
            raise CannotPrice(
                "capacityProviderStrategies decide how its tasks are billed: only launchType FARGATE is priced"
            )
        yield item.free("no charge for a service; its tasks run on machines that are billed", _ECS)
        return
    found = item.resources.referred(item.resource, "taskDefinition", _TASK)
    if found is None:
        raise CannotPrice("its task definition, which sets the size of a task, is not part of this stack")
    task, tasks = item.of(found), item.number("desiredCount", default=1)
    if task.text("runtimePlatform", "cpuArchitecture", default="X86_64") != "X86_64":
        raise CannotPrice("runtimePlatform.cpuArchitecture is not X86_64: the price book has x86 only")
    for name, sku, unit, each in (
        ("Fargate vCPUs", "fargate-vcpu-hour", "vCPU-hour", task.number("cpu") / _UNITS_PER_VCPU),
        ("Fargate memory", "fargate-gib-hour", "GiB-hour", task.number("memory") / _MIB_PER_GIB),
    ):
        yield from or_named(item, _hours(item, name, sku, unit, tasks, each))


def _hours(item: Pricing, name: str, sku: str, unit: str, tasks: Decimal, each: Decimal) -> Iterator[CostLine]:
    basis = f"{plain(tasks)} x {plain(each)} x {HOURS_PER_MONTH} h"
    assumption = "Linux; tasks run all month, autoscaling not counted"
    yield item.line(name, tasks * each * HOURS_PER_MONTH, item.price(sku, unit), basis=basis, assumption=assumption)


_PRICED_THEMSELVES: Final = (
    "aws:sqs/queue:Queue",
    "aws:lambda/function:Function",
    "aws:cloudwatch/logGroup:LogGroup",
    "aws:sns/topic:Topic",
)
"""Targets in the account, to which delivery is free; their own charges are priced or named with them."""

_SOURCE: Final = "https://aws.amazon.com/eventbridge/pricing/"


@prices("aws:cloudwatch/eventTarget:EventTarget")
def event_target(item: Pricing) -> Iterator[Free | NotPriced]:
    """Delivery inside the account is free; to API destinations and other buses it is not (EventBridge price page)."""
    if any(item.resources.referred(item.resource, "arn", type_) for type_ in _PRICED_THEMSELVES):
        yield item.free("delivery inside the account has no charge", _SOURCE)
    else:
        yield item.not_priced(
            "its target is not a queue, function, log group or topic of this stack: delivery may be billed"
        )


@prices("aws:kms/key:Key")
def key(item: Pricing) -> Iterator[CostLine]:
    """A month of one customer managed key (KMS price page). Requests and rotated key versions are not in the total."""
    assumption = "requests (first 20,000 a month free) and rotated versions of the key are not in the total"
    yield item.line("KMS key", Decimal(1), item.price("kms-key", "month"), assumption=assumption)


@prices("aws:sqs/queue:Queue")
def queue(item: Pricing) -> Iterator[CostLine]:
    """Requests; a queue has no separate price, and the first million a month is free (SQS price page)."""
    sku = "sqs-requests-fifo" if item.get("fifoQueue") is True else "sqs-requests-standard"
    yield item.by_usage("SQS requests", "sqs_million_requests", item.price(sku, "1M-requests"))
