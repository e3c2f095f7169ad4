"""Workspaces and collectors of Amazon Managed Service for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine
from gpucluster.cost.subject import Subject, as_number

EXPECTED: Final = "gpucluster/expected-million-samples"
"""Tag that says how many millions of samples a workspace takes in a month; goes before `prometheus_million_samples`."""

_PER_PRICE: Final = 10
"""Millions of samples that one price buys."""


@prices("aws:amp/workspace:Workspace")
def workspace(ask: Subject) -> Iterator[CostLine]:
    """Samples taken in, by 10 million. Storage and queries are not in the total."""
    said = ask.get("tags", EXPECTED)
    millions: Decimal = ask.assumptions.prometheus_million_samples if said is None else as_number(said, EXPECTED)
    where = "prometheus_million_samples" if said is None else f"tag {EXPECTED} of {ask.resource.name}"
    yield ask.line(
        "Prometheus samples",
        millions / _PER_PRICE,
        ask.price("amp-samples-ingested", "10M-samples"),
        basis=f"{millions:,f} M samples",
        assumption=f"{millions:,f} million samples a month ({where}); storage and queries are not in the total",
    )


@prices("aws:amp/scraper:Scraper")
def scraper(ask: Subject) -> Iterator[CostLine]:
    """Hours of the collector. What it asks for each sample it collects is not known here."""
    yield ask.line(
        "Prometheus collector",
        HOURS_PER_MONTH,
        ask.price("amp-agentless-collector", "hour"),
        basis=f"{HOURS_PER_MONTH} h",
        assumption="the fee of a Prometheus collector for each sample it collects is not in the total: no price known",
    )
