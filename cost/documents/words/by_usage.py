"""Lines that depend on usage assumed to be zero, in words: the price is known, the quantity is not."""

from __future__ import annotations

from typing import Final

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.model import CostLine
from gpucluster.cost.money import unit_price

USAGE_HEADING: Final = "Depends on usage, assumed to be 0; `gpucluster cost usage init` writes a file for --usage"

_NAMED: Final = 2
"""Number of resources named for each rate."""


def count_by_usage(estimate: Estimate) -> str:
    """`3 lines depend on usage, assumed to be 0`; empty without any."""
    found = sum(line.by_usage for line in estimate.lines)
    if not found:
        return ""
    return f"{'1 line depends' if found == 1 else f'{found:,} lines depend'} on usage, assumed to be 0"


def rates_by_usage(estimate: Estimate) -> list[str]:
    """A sentence for each rate: the billed item, its resources, its price, and the usage that changes it."""
    rates: dict[tuple[str, ...], list[CostLine]] = {}
    for line in estimate.lines:
        if line.by_usage:
            price = f"{unit_price(line.unit_price)} per {line.unit} in {line.region}"
            source = f"{line.as_of}, {line.confidence}" if line.as_of else line.confidence
            rates.setdefault((line.name, f"{price} ({source})", *line.usage), []).append(line)
    return [
        f"{name} ({_of(lines, estimate)}): {price}, by {' x '.join(usage)}"
        for (name, price, *usage), lines in rates.items()
    ]


def _of(lines: list[CostLine], estimate: Estimate) -> str:
    names = list(dict.fromkeys(estimate.names.get(line.urn, "") for line in lines))
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
