"""Sentences and numbers that several documents share."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.prices.row import FRESH_DAYS
from gpucluster.cost.pricing.model import CostLine, NotPriced
from gpucluster.cost.pricing.money import money, percent, percent_down, unit_price
from gpucluster.cost.pricing.terms import term_texts

USAGE_HEADING: Final = "Depends on usage, assumed to be 0; `gpucluster cost usage init` writes a file for --usage"

_NAMED: Final = 2
"""Number of resources named for each rate."""


def plain_number(number: Decimal) -> str:
    """A number with commas and without trailing zeros."""
    return f"{number.normalize():,f}"


def basis(*estimates: Estimate, month: bool = False) -> str:
    """`list prices in USD, before tax, discounts, support and data transfer`; with the account's terms, if any.

    month: whether every amount is monthly.
    """
    usd = "USD a month" if month else "USD"
    terms = dict.fromkeys(text for found in estimates for text in term_texts(found.terms))
    if not terms:
        return f"list prices in {usd}, before tax, discounts, support and data transfer"
    return f"prices in {usd}, before tax and data transfer, with {' and '.join(terms)}"


def coverage(estimate: Estimate) -> str:
    """`164 resources: 13 priced, 151 free, 0 not priced`; partly priced resources are in both numbers."""
    found = estimate.coverage
    both = f", {found.both:,} of them priced in part" if found.both else ""
    counts = f"{found.priced:,} priced, {found.free:,} free, {found.not_priced:,} not priced"
    return f"{found.resources:,} resources: {counts}{both}"


def price_dates(estimate: Estimate) -> str:
    """`Prices from 2024-07-01 to 2026-10-10; price confidence by amount: 97.9% high`; empty without relevant prices."""
    dates, total = estimate.price_dates, estimate.monthly.expected
    if dates is None:
        return ""
    shares = [f"{percent(value / total)} {key}" for key, value in estimate.by_confidence.items() if total and value]
    confidence = f"; price confidence by amount: {', '.join(shares)}" if shares else ""
    return f"Prices from {dates[0]} to {dates[1]}{confidence}"


def fresh_dollars(share: Decimal) -> str:
    """`98.9% of the dollars are priced within 90 days`."""
    return f"{percent_down(share)} of the dollars are priced within {FRESH_DAYS} days"


def usage_count(estimate: Estimate) -> str:
    """`3 lines depend on usage, assumed to be 0`; empty without any."""
    found = sum(line.by_usage for line in estimate.lines)
    if not found:
        return ""
    return f"{'1 line depends' if found == 1 else f'{found:,} lines depend'} on usage, assumed to be 0"


def usage_rates(estimate: Estimate) -> list[str]:
    """A sentence for each rate: the billed item, its resources, its price, and the usage that changes it."""
    rates: dict[tuple[str, ...], list[CostLine]] = {}
    for line in estimate.lines:
        if line.by_usage:
            price = f"{unit_price(line.unit_price)} per {line.unit} in {line.region}"
            source = f"{line.as_of}, {line.confidence}" if line.as_of else line.confidence
            rates.setdefault((line.name, f"{price} ({source})", *line.usage), []).append(line)
    return [
        f"{name} ({_resources(lines, estimate)}): {price}, by {' x '.join(usage)}"
        for (name, price, *usage), lines in rates.items()
    ]


def _resources(lines: Sequence[CostLine], estimate: Estimate) -> str:
    names = list(dict.fromkeys(estimate.names.get(line.urn, "") for line in lines))
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def unpriced(item: NotPriced) -> str:
    """Why it has no price, and its bounds."""
    return f"{item.reason}; {bounds(item)}"


def unpriced_items(estimate: Estimate) -> list[str]:
    """Each with its type, name, reason and bounds."""
    ordered = sorted(estimate.not_priced, key=lambda item: item.urn)
    return [f"{item.type} {estimate.names.get(item.urn, '')}: {unpriced(item)}" for item in ordered]


def not_considered(estimate: Estimate) -> list[str]:
    """The inputs of each type that are set and that no amount depends on."""
    return [f"{found.type}: {', '.join(found.inputs)}" for found in estimate.not_considered]


def bounds(item: NotPriced) -> str:
    """`bound: $16.43 to $65.70 a month, NAT gateway, 730 h at $0.0225 to $0.09 per hour, by 1 other region ...`."""
    if item.between is None:
        return "no bound"
    least, most = item.between.least, item.between.most
    amount = f"{money(least.monthly)} to {money(most.monthly)} a month" if most.monthly else "$0.00 at this usage"
    quantity = least.basis or f"{plain_number(least.quantity)} {least.unit}"
    each = f" at {unit_price(least.unit_price)} to {unit_price(most.unit_price)} per {least.unit}"
    if least.unit_price == most.unit_price:  # a share of other charges
        each = ""
    return f"bound: {amount}, {least.name}, {quantity}{each}, {item.between.rule}"


def idle_prices(estimate: Estimate) -> list[str]:
    """The user's prices that price nothing here, each with where it is."""
    return [
        f"{row.source.removeprefix('your price, ')}: {' '.join(filter(None, (row.sku, row.purchase, row.term)))} in "
        f"{row.provider} {row.region} per {row.unit}"
        for row in estimate.idle_prices
    ]
