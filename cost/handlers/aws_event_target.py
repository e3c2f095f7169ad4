"""Targets of EventBridge rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import Free, NotPriced
from gpucluster.cost.pricing import Pricing

_PRICED_THEMSELVES: Final = (
    "aws:sqs/queue:Queue",
    "aws:lambda/function:Function",
    "aws:cloudwatch/logGroup:LogGroup",
    "aws:sns/topic:Topic",
)
"""Targets in the account, to which delivery is free; what they bill is shown, or named, with them."""

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
