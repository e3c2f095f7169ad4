"""SQS queues."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import Pricing


@prices("aws:sqs/queue:Queue")
def queue(item: Pricing) -> Iterator[CostLine]:
    """Requests; a queue has no price of its own, and the first million a month is free (SQS price page)."""
    sku = "sqs-requests-fifo" if item.get("fifoQueue") is True else "sqs-requests-standard"
    yield item.by_usage("SQS requests", "sqs_million_requests", item.price(sku, "1M-requests"))
