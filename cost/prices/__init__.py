"""The price book: dated price rows with sources, the only place that holds prices."""

from __future__ import annotations

from gpucluster.cost.prices.book import OWN_ROW, DamagedBook, NotKnown, Price, PriceBook
from gpucluster.cost.prices.bounds import Bound
from gpucluster.cost.prices.row import Basis, Confidence, PriceRow
from gpucluster.cost.prices.user_prices import PRICES_VARIABLE, BadPrices

__all__ = [
    "OWN_ROW",
    "PRICES_VARIABLE",
    "BadPrices",
    "Basis",
    "Bound",
    "Confidence",
    "DamagedBook",
    "NotKnown",
    "Price",
    "PriceBook",
    "PriceRow",
]
