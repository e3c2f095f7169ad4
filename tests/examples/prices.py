"""Removes each price of an example, one at a time: its line must be reported, and never become zero. Every input of an
example is read by a handler, or known not to bear on the price.

`python -m tests.examples.prices` prints how many were removed, and exits with 1 and the lines that were not reported
and the inputs that were not considered.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal

from gpucluster.core.program.resources import Resources
from gpucluster.cost import Estimate, estimate
from gpucluster.cost.prices import NotKnown, Price, PriceBook
from gpucluster.cost.pricing.model import CostLine
from tools.pages.examples import declared, examples


class _Less(PriceBook):
    """The book without the row of a line's price."""

    def __init__(self, line: CostLine) -> None:
        super().__init__()
        self._line = line

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        found = super().lookup(provider, region, sku, purchase, term, unit=unit)
        if isinstance(found, Price):
            row, line = found.row, self._line
            of_the_row = (row.document, found.usd, row.unit, row.region, row.purchase, row.term)
            of_the_line = (line.source, line.unit_price, line.unit, line.region, line.purchase, line.term)
            # An item paid by another line has no price of its own: its machines' price is that line's.
            paid = line.paid_by and (region, sku) == (line.region, line.sku)
            if paid or of_the_row == of_the_line:
                return NotKnown(f"no price for {sku}", ",".join((provider, region, sku, unit, purchase, term)))
        return found


def escaped(resources: Resources) -> Iterator[tuple[CostLine, str]]:
    """(line, problem) for every line not reported as not priced once its price is removed; '' if it is."""
    whole = estimate(resources)
    prices = {(line.source, line.unit_price, line.unit, line.region, line.name): line for line in whole.lines}
    for line in prices.values():
        yield line, _wrong(line, whole, estimate(resources, _Less(line)))


def _wrong(line: CostLine, whole: Estimate, rest: Estimate) -> str:
    if line.urn not in {item.urn for item in rest.not_priced}:
        return "is not named as not priced"
    if line in rest.lines and line.monthly:
        return "is priced all the same"
    if rest.complete:
        return "is missing from a total that reads as whole"
    if rest.monthly.expected != sum((one.monthly for one in rest.lines), Decimal(0)):
        return "leaves a total that is not the sum of its lines"
    return "" if rest.monthly.expected <= whole.monthly.expected else "makes the total larger"


def main() -> int:
    """Runs every example; returns the exit code."""
    count, wrong, unread = 0, 0, 0
    for example in examples():
        resources = declared(example)
        for one in estimate(resources).not_considered:
            unread += len(one.inputs)
            print(f"{example.page.with_suffix('')}: {one.type}: not considered: {', '.join(one.inputs)}")
        for line, problem in escaped(resources):
            count += 1
            wrong += bool(problem)
            if problem:
                print(f"{example.page.with_suffix('')}: {line.name} of {line.urn} {problem}")
    print(f"{count} prices taken away, {wrong} lines got away, {unread} inputs not considered")
    return 1 if wrong or unread else 0


if __name__ == "__main__":
    sys.exit(main())
