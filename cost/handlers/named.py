"""Lines that may lack a price, so that what comes after them is priced all the same."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing


def or_named(
    item: Pricing, lines: Iterator[CostLine | NotPriced], *, what: str = "", compute: bool = False
) -> Iterator[CostLine | NotPriced]:
    """The lines; where a price is not known, that, after `what` it belongs to. `compute`: whether they are machines."""
    try:
        yield from lines
    except CannotPrice as error:
        reason = CannotPrice(f"{what}: {error}", error.own_row) if what else error
        yield item.not_priced(reason, compute=compute)
