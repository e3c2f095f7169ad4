"""SQS queues."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.subject import Subject


@prices("aws:sqs/queue:Queue")
def queue(ask: Subject) -> Iterator[CostLine]:
    """Requests; a queue has no price of its own, and the first million a month is free (SQS price page)."""
    sku = "sqs-requests-fifo" if ask.get("fifoQueue") is True else "sqs-requests-standard"
    yield ask.by_usage("SQS requests", "sqs_million_requests", ask.price(sku, "1M-requests"))
