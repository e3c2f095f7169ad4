"""Samples of metrics that a cluster gives its cloud's managed Prometheus in a month."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from gpucluster.cost.pricing import Pricing, as_number

_OWN: Final = "gpucluster-expected-million-samples"
"""Tag or label that says how many millions of samples a cluster's GPUs and rules are."""


def says_samples(item: Pricing, tags: str) -> bool:
    """Whether a resource has the tag or label. tags: as below."""
    return item.get(tags, _OWN) is not None


def expected_samples(item: Pricing, tags: str) -> tuple[Decimal, str]:
    """Millions of samples, and what is assumed in words: those that the cluster says of itself, and those of all else,
    which no plan knows. tags: name of the input that holds tags or labels.
    """
    others: Decimal = item.assumptions.prometheus_million_samples
    said = item.get(tags, _OWN)
    if said is None:
        return others, f"prometheus_million_samples: {others:,f} million samples a month"
    own = as_number(said, _OWN)
    return own + others, (
        f"{own:,f} million samples a month of GPUs and rules ({_OWN} of {item.resource.name}), {others:,f} million of "
        "everything else that the cloud collects, such as containers (prometheus_million_samples)"
    )
