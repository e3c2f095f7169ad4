"""Each price of the book hidden in turn: whether it has a bound then, and lies within."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import Bound, NotKnown, Price, PriceRow
from gpucluster.cost.prices.other_regions import price_or_bound

CLOUDS = ("aws", "azure", "gcp")


class _Without(PriceBook):
    """The book without one price, and without any other that the same thing has in its place."""

    def __init__(self, book: PriceBook, hidden: PriceRow) -> None:
        super().__init__(today=book.today)
        self._book = book
        self._hidden = hidden

    def _is_hidden(self, row: PriceRow) -> bool:
        return _key(row) == _key(self._hidden) and row.region == self._hidden.region

    def of_sku(self, provider: str, sku: str) -> list[PriceRow]:
        return [row for row in self._book.of_sku(provider, sku) if not self._is_hidden(row)]

    def of_family(self, provider: str, sku: str) -> list[PriceRow]:
        return [row for row in self._book.of_family(provider, sku) if not self._is_hidden(row)]

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        found = self._book.lookup(provider, region, sku, purchase, term, unit=unit)
        if isinstance(found, Price) and self._is_hidden(found.row):
            return NotKnown("hidden", "")
        return found


def _key(row: PriceRow) -> tuple[str, ...]:
    return row.sku, row.purchase, row.term, row.unit


def _hidden(book: PriceBook, cloud: str) -> Iterator[tuple[PriceRow, Bound | None]]:
    for row in book.rows(cloud):
        if row.alt or row.zone or row.tier > 1:
            continue
        found = price_or_bound(_Without(book, row), cloud, row.region, row.sku, row.purchase, row.term, unit=row.unit)
        unknown = found.instead_of if isinstance(found, Price) else None
        yield row, unknown.bound if unknown is not None else None


@pytest.fixture(scope="module", params=CLOUDS)
def hidden(request: pytest.FixtureRequest) -> list[tuple[PriceRow, Bound | None]]:
    return list(_hidden(PriceBook(), request.param))


def test_what_has_no_bound_is_the_one_price_of_its_kind(hidden: list[tuple[PriceRow, Bound | None]]) -> None:
    """Nothing else in the book is of the same thing bought in the same way, nor, of a commitment, of it on demand."""
    times = Counter(_key(row) for row, _ in hidden)
    assert {_key(row) for row, bound in hidden if bound is None and times[_key(row)] > 1} == set()


def test_hidden_prices_lie_within_their_bounds(hidden: list[tuple[PriceRow, Bound | None]]) -> None:
    held = [bound.least <= row.usd_per_unit <= bound.most for row, bound in hidden if bound is not None]
    assert len(held) > 2000
    assert sum(held) / len(held) > 0.95


def test_siblings_bound_what_has_no_price_elsewhere(hidden: list[tuple[PriceRow, Bound | None]]) -> None:
    held = [
        bound.least <= row.usd_per_unit <= bound.most
        for row, bound in hidden
        if bound is not None and bound.rule.startswith("by size")
    ]
    assert len(held) >= 10
    assert sum(held) / len(held) > 0.95
