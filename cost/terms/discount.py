"""A price book after a discount: a share off every list price of a cloud."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from gpucluster.cost.prices import NotKnown, Price, PriceBook, PriceRow


class DiscountedBook(PriceBook):
    """A book with discounted list prices; the user's own prices are what they pay, and stay unchanged.

    shares: cloud -> discount as a share of the list price, above 0 and below 1. Support fees have no discount.
    """

    def __init__(self, book: PriceBook, shares: Mapping[str, Decimal]) -> None:
        super().__init__(today=book.today, folder=book.folder)
        self.own = book.own
        self._book = book
        self._shares = shares

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        """The price after the discount, with the list price."""
        found = self._book.lookup(provider, region, sku, purchase, term, unit=unit)
        share = self._shares.get(provider)
        if share is None or isinstance(found, NotKnown) or found.row.basis == "own":
            return found
        return replace(
            found,
            row=_less(found.row, share),
            tiers=tuple(_less(row, share) for row in found.tiers),
            list_usd=found.row.usd_per_unit,
        )

    def of_sku(self, provider: str, sku: str) -> list[PriceRow]:
        """The rows after the discount: bounds of an unknown price are discounted, too."""
        share = self._shares.get(provider, Decimal(0))
        rows = super().of_sku(provider, sku)
        return [row if row.basis == "own" or not share else _less(row, share) for row in rows]


def _less(row: PriceRow, share: Decimal) -> PriceRow:
    return replace(row, usd_per_unit=row.usd_per_unit * (1 - share))
