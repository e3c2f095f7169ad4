"""The price book: dated, sourced price rows, the only place where a price lives."""

from __future__ import annotations

from cost.prices.book import NotKnown, Price, PriceBook
from cost.prices.row import Basis, Confidence, PriceRow

__all__ = ["Basis", "Confidence", "NotKnown", "Price", "PriceBook", "PriceRow"]
