"""The price of one item in one region; without one, its bounds from other prices of its cloud, the nearest first."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.prices.book import NotKnown, Price, PriceBook
from gpucluster.cost.prices.bounds import (
    MACHINE,
    Bound,
    Regions,
    bound_by_ratio,
    bound_by_siblings,
    bound_by_size,
    bound_of,
    by_region,
    within_on_demand,
)  # fmt: skip
from gpucluster.cost.prices.families import family_of
from gpucluster.cost.prices.row import PriceRow

_OF_ON_DEMAND: Final = {name: Decimal("1.1") for name in ("reserved", "savings_plan", "instance_savings_plan")} | {
    name: Decimal("1.5") for name in ("flex_start", "dws_calendar")
}
"""Purchase options sold at a share of the on-demand price -> factor by which the share may be outside that of other
regions. Of the last two the book has one region.
"""

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
    provider, region, sku, purchase, term, unit = key
    bound = next(_bounds(book, key), None)
    row = next(iter(book.of_sku(provider, sku)), None) or next(iter(book.of_family(provider, sku)), None)
    if purchase != "on_demand":
        on_demand = price_or_bound(book, provider, region, sku, unit=unit)
        if isinstance(on_demand, Price):
            bound = within_on_demand(provider, purchase, _as_bound(on_demand), _source(on_demand), bound)
            row = row or on_demand.row
    if bound is None or row is None:
        return unknown
    row = replace(
        row, region=region, sku=sku, unit=unit, purchase=purchase, term=term, usd_per_unit=bound.most,
        as_of=bound.as_of, source=bound.rule, note="",
    )  # fmt: skip
    return Price(row, "low", instead_of=replace(unknown, bound=bound))


def _bounds(book: PriceBook, key: _Key) -> Iterator[Bound]:
    """Bounds by every rule, the nearest prices first."""
    provider, region, sku, purchase, _, unit = key
    family, wanted = family_of(sku), _prices(book, key)
    kin = [row for row in book.of_family(provider, sku) if row.sku != sku and _bought(row, key)]
    siblings = _by_sku(kin)
    yield from _narrowest(bound_by_ratio(region, wanted, other) for other in siblings)
    if family is not None and unit == MACHINE:
        here = [other[region] for other in siblings if region in other]
        yield from _narrowest([bound_by_size(family, here, alike=purchase != "spot")])
    if purchase in _OF_ON_DEMAND:
        on_demand = _prices(book, (provider, region, sku, "on_demand", "", unit))
        yield from _narrowest([bound_by_ratio(region, wanted, on_demand, apart=_OF_ON_DEMAND[purchase])])
    if wanted and purchase != "spot":
        others = ((_alike(unit, sku, name), by_region(_of(book, key, name))) for name in _of_kind(book, key, wanted))
        yield from _narrowest(
            bound_by_ratio(region, wanted, other, least=least, apart=apart) for (least, apart), other in others
        )
    if family is not None and any(region in other for other in siblings):
        yield from _narrowest([bound_by_siblings(family, region, _rows(siblings))])
    yield from _narrowest([bound_of([*wanted.values()])])
    if family is not None:
        yield from _narrowest([bound_by_siblings(family, region, _rows(siblings))])


def _alike(unit: str, sku: str, other: str) -> tuple[int, Decimal]:
    """For items that are no sizes of one family: regions that must have both, and the factor by which their ratio may
    be outside that of these regions. Prices of machines with GPUs follow those of general machines by chance only.
    """
    if unit != MACHINE:
        return 8, Decimal("1.2")
    return 8 if (sku in machines()) != (other in machines()) else 5, Decimal("1.1")


def _narrowest(found: Iterable[Bound | None]) -> Iterator[Bound]:
    known = [bound for bound in found if bound is not None]
    if known:
        yield min(known, key=lambda bound: (bound.width, bound.rule))


def _of(book: PriceBook, key: _Key, sku: str) -> list[PriceRow]:
    return [row for row in book.of_sku(key[0], sku) if _bought(row, key)]


def _bought(row: PriceRow, key: _Key) -> bool:
    return (row.purchase, row.term, row.unit) == key[3:]


def _prices(book: PriceBook, key: _Key) -> Regions:
    return by_region(_of(book, key, key[2]))


def _by_sku(rows: Iterable[PriceRow]) -> list[Regions]:
    found: dict[str, list[PriceRow]] = {}
    for row in rows:
        found.setdefault(row.sku, []).append(row)
    return [by_region(of_one) for of_one in found.values()]


def _rows(siblings: Iterable[Regions]) -> list[PriceRow]:
    return [row for one in siblings for row in one.values()]


def _of_kind(book: PriceBook, key: _Key, wanted: Regions) -> list[str]:
    """Items of the same kind that are sold in the region in the same way."""
    provider, region, sku, purchase, term, unit = key
    kinds = {row.kind for row in wanted.values()}
    rows = [row for row in book.in_region(provider, region) if (row.purchase, row.term) == (purchase, term)]
    alike = (
        row.sku for row in rows if row.sku != sku and row.kind in kinds and (row.unit == MACHINE) == (unit == MACHINE)
    )
    return [*dict.fromkeys(alike)]


def _as_bound(price: Price) -> Bound:
    if price.instead_of is not None and price.instead_of.bound is not None:
        return price.instead_of.bound
    return Bound(price.usd, price.usd, "", price.row.as_of)


def _source(on_demand: Price) -> str:
    source = f"on demand in {on_demand.row.region}, ${on_demand.usd.normalize():f}"
    return f"{source}, {on_demand.row.source}" if on_demand.instead_of is not None else source
