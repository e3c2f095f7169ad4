"""The price of one item in one region; without one, bounds from other regions, else from its siblings, and for a
commitment the on-demand price.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Final

from gpucluster.cost.prices.book import NotKnown, Price, PriceBook
from gpucluster.cost.prices.bounds import bound_by_siblings, bound_of, no_more_than

_COMMITTED: Final = ("reserved", "savings_plan")
"""Purchase options with machine prices at or below on-demand, as a commitment is a discount."""

_Key = tuple[str, str, str, str, str, str]  # provider, region, sku, purchase, term, unit

_FOUND: Final[weakref.WeakKeyDictionary[PriceBook, dict[_Key, Price | NotKnown]]] = weakref.WeakKeyDictionary()
"""Cache: the book is searched once per unpriced item, not once per resource."""


def price_or_bound(
    book: PriceBook, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
) -> Price | NotKnown:
    """`PriceBook.lookup`; for an unknown price with a known bound, a stand-in at the upper bound."""
    found = book.lookup(provider, region, sku, purchase, term, unit=unit)
    if isinstance(found, Price):
        return found
    kept = _FOUND.setdefault(book, {})
    key = provider, region, sku, purchase, term, unit
    if key not in kept:
        kept[key] = _stand_in(book, found, key)
    return kept[key]


def _stand_in(book: PriceBook, unknown: NotKnown, key: _Key) -> Price | NotKnown:
    provider, region, sku, *same = key
    rows = [row for row in book.of_sku(provider, sku) if [row.purchase, row.term, row.unit] == same]
    bound = bound_of(rows)
    if bound is None:
        rows = [row for row in book.of_family(provider, sku) if [row.purchase, row.term, row.unit] == same]
        bound = bound_by_siblings(sku, region, rows)
    row = next(iter(rows), None)
    purchase, term, unit = same
    if purchase in _COMMITTED:
        on_demand = price_or_bound(book, provider, region, sku, unit=unit)
        if isinstance(on_demand, Price):
            bound = no_more_than(on_demand.usd, _source(on_demand), on_demand.row.as_of, bound)
            row = on_demand.row
    if bound is None or row is None:
        return unknown
    row = replace(
        row, region=region, sku=sku, purchase=purchase, term=term, usd_per_unit=bound.most, as_of=bound.as_of,
        source=bound.rule, note="",
    )  # fmt: skip
    return Price(row, "low", instead_of=replace(unknown, bound=bound))


def _source(on_demand: Price) -> str:
    source = f"on demand in {on_demand.row.region}, ${on_demand.usd.normalize():f}"
    return f"{source}, {on_demand.row.source}" if on_demand.instead_of is not None else source
