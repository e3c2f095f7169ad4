"""Workspaces and collectors of Amazon Managed Service for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, NotPriced
from gpucluster.cost.pricing import Pricing, as_number

EXPECTED: Final = "gpucluster/expected-million-samples"
"""Tag that says how many millions of samples a workspace takes in a month; goes before `prometheus_million_samples`."""

_USAGE: Final = ("prometheus_million_samples",)

_BYTES: Final = 2
"""Bytes of a stored sample: "typically 1 or 2" (price page of Amazon Managed Service for Prometheus)."""
_KEPT_MONTHS: Final = Decimal(150 * 24) / HOURS_PER_MONTH
"""Months of samples that are there: the default retention is 150 days (its user guide)."""
_PER_PRICE: Final = 10
"""Millions of samples that one price buys."""


_WORKSPACE: Final = "aws:amp/workspace:Workspace"


@prices(_WORKSPACE)
def workspace(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Samples ingested, by 10 million, and stored. Queries are not in the total."""
    millions, where = _millions(item)
    yield from or_named(item, _taken_in(item, millions, where))
    yield from or_named(item, _kept(item, millions))


def _millions(item: Pricing) -> tuple[Decimal, str]:
    """Millions of samples a month that the workspace asked about takes, and what says so."""
    said = item.get("tags", EXPECTED)
    if said is None:
        return item.assumptions.prometheus_million_samples, "prometheus_million_samples"
    return as_number(said, EXPECTED), f"tag {EXPECTED} of {item.resource.name}"


def _taken_in(item: Pricing, millions: Decimal, where: str) -> Iterator[CostLine]:
    yield item.line(
        "Prometheus samples",
        millions / _PER_PRICE,
        item.price("amp-samples-ingested", "10M-samples"),
        basis=f"{millions:,f} M samples",
        assumption=f"{millions:,f} million samples a month ({where}); queries are not in the total",
        usage=_USAGE,
    )


def _kept(item: Pricing, millions: Decimal) -> Iterator[CostLine]:
    gib = (millions * 1_000_000 * _BYTES * _KEPT_MONTHS / 2**30).quantize(Decimal("0.001"))
    said = "samples are kept for 150 days, at 2 bytes each; metric names and labels are not counted"
    price = item.price("amp-storage", "GiB-month")
    yield item.line("Prometheus storage", gib, price, basis=f"{plain(gib)} GiB", assumption=said, usage=_USAGE)


@prices("aws:amp/scraper:Scraper")
def scraper(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Hours of the collector, and its samples: all that its workspace ingests."""
    yield from or_named(item, _hours(item))
    yield from or_named(item, _collected(item))


def _hours(item: Pricing) -> Iterator[CostLine]:
    price = item.price("amp-agentless-collector", "hour")
    yield item.line("Prometheus collector", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


def _collected(item: Pricing) -> Iterator[CostLine]:
    workspace = item.resources.referred(item.resource, "destination", _WORKSPACE)
    millions, _ = _millions(item.of(workspace)) if workspace else (item.assumptions.prometheus_million_samples, "")
    yield item.line(
        "Prometheus samples collected",
        millions / _PER_PRICE,
        item.price("amp-samples-collected", "10M-samples"),
        basis=f"{millions:,f} M samples",
        assumption="assumes that the collector collects every sample of its workspace",
        usage=_USAGE,
    )
