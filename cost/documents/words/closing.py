"""The end of a report: coverage of the stack, and age and confidence of the prices."""

from __future__ import annotations

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.money import percent


def coverage_words(estimate: Estimate) -> str:
    """`164 resources: 13 priced, 151 free, 0 not priced`; partly priced resources are in both numbers."""
    found = estimate.coverage
    both = f", {found.both:,} of them priced in part" if found.both else ""
    counts = f"{found.priced:,} priced, {found.free:,} free, {found.not_priced:,} not priced"
    return f"{found.resources:,} resources: {counts}{both}"


def price_words(estimate: Estimate) -> str:
    """`Prices from 2024-07-01 to 2026-10-10; confidence in the dollars: 97.9% high`; empty without relevant prices."""
    dates, total = estimate.price_dates, estimate.monthly.expected
    if dates is None:
        return ""
    shares = [f"{percent(value / total)} {key}" for key, value in estimate.by_confidence.items() if total and value]
    confidence = f"; confidence in the dollars: {', '.join(shares)}" if shares else ""
    return f"Prices from {dates[0]} to {dates[1]}{confidence}"
