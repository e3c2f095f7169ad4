"""CloudWatch log groups."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.subject import Subject


@prices("aws:cloudwatch/logGroup:LogGroup")
def log_group(ask: Subject) -> Iterator[CostLine]:
    """GiB taken in (CloudWatch price page); storage of what is kept is not in the total."""
    gib = ask.assumptions.log_gib
    said = f"log_gib: {gib} GiB a month taken in; storage of kept logs is not in the total"
    yield ask.line("Logs taken in", gib, ask.price("cloudwatch-logs-ingest", "GiB"), assumption=said)
