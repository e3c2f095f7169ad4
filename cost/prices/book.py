"""Finds the price of one thing in one region."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Final

from cost.prices.own import Known, find_prices, read_prices
from cost.prices.row import Basis, Confidence, PriceRow

__all__ = ["OWN_ROW", "NotKnown", "Price", "PriceBook"]

OWN_ROW: Final = "provider,region,sku,unit,purchase,term,usd_per_unit"
"""The columns to give for a price of one's own."""

_FOLDER: Final = Path(__file__).parent
_NEAREST_SHOWN: Final = 4

_Key = tuple[str, str, str, str, str]  # region, sku, purchase, term, unit


@dataclass(frozen=True, slots=True)
class Price:
    """What one unit costs, and why we say so.

    row: the primary row; the first tier of a graduated price; the newest second opinion when there is nothing else.
    tiers: all tiers in order, empty when the price is not graduated.
    rankable: False when only second opinions are known; such a price is shown and never ranked.
    """

    row: PriceRow
    confidence: Confidence
    tiers: tuple[PriceRow, ...] = ()
    rankable: bool = True

    @property
    def usd(self) -> Decimal:
        """USD per unit."""
        return self.row.usd_per_unit


@dataclass(frozen=True, slots=True)
class NotKnown:
    """No price: never 0, and never that of another region. `reason` names the nearest rows that are known.

    row: what a row of the user's own for it begins with, in the order of `OWN_ROW`.
    """

    reason: str
    row: str


class PriceBook:
    """The price rows of all providers, one file each, read when first asked for.

    today: the day that prices are judged fresh or old against.
    folder: where the `<provider>.csv` files and `sources.csv` are.
    own: a file of the user's own prices, which go before those of the book. BadPrices says what is wrong with it.
    """

    def __init__(self, *, today: datetime.date | None = None, folder: Path = _FOLDER, own: Path | None = None) -> None:
        self.today = today or datetime.date.today()
        self.folder = folder
        self.own = () if own is None else read_prices(own, _known(folder))
        self._indexes: dict[str, Mapping[_Key, tuple[PriceRow, ...]]] = {}

    @classmethod
    def in_use(cls, prices: str | None = None) -> PriceBook:
        """The book with the user's own prices: those of the file `prices`, else of the one GPUCLUSTER_PRICES names."""
        return cls(own=find_prices(prices))

    @staticmethod
    def forget() -> None:
        """Lets files that were read be read again; for who changes them."""
        for read in (_known, _rows, _sources):
            read.cache_clear()

    @property
    def providers(self) -> tuple[str, ...]:
        """The providers we have a file for, by name."""
        return _known(self.folder).providers

    def rows(self, provider: str) -> tuple[PriceRow, ...]:
        """Every row of one provider, in the order of its file; empty when we have no file for it."""
        return _rows(self.folder, provider)

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        """The price of `sku` per `unit` in `region`; `term` is empty, `1y` or `3y`."""
        rows = self._index(provider).get((region, sku, purchase, term, unit), ())
        primary = [row for row in rows if not row.alt]
        if primary:
            tiers = tuple(sorted((row for row in primary if row.tier), key=lambda row: row.tier))
            row = tiers[0] if tiers else primary[0]
            return Price(row, row.confidence(self.today), tiers)
        if rows:
            newest = max(rows, key=lambda row: row.as_of)
            return Price(newest, newest.confidence(self.today), rankable=False)
        row = ",".join((provider, region, sku, unit, purchase, term))
        return NotKnown(self._why_not(provider, region, sku, purchase, term, unit), row)

    def zones(self, provider: str, region: str, sku: str, purchase: str, *, unit: str) -> tuple[PriceRow, ...]:
        """The prices of single zones of a region, the least first; none where the book has no zones."""
        rows = (
            row
            for (where, of, how, term, per), found in self._index(provider).items()
            for row in found
            if where.startswith(f"{region}/") and (of, how, term, per) == (sku, purchase, "", unit) and not row.alt
        )
        return tuple(sorted(rows, key=lambda row: (row.usd_per_unit, row.region)))

    def _index(self, provider: str) -> Mapping[_Key, tuple[PriceRow, ...]]:
        if provider not in self._indexes:
            index: dict[_Key, list[PriceRow]] = {}
            for row in self.rows(provider):
                index.setdefault(_key(row), []).append(row)
            index |= {_key(row): [row] for row in self.own if row.provider == provider}
            self._indexes[provider] = {key: tuple(rows) for key, rows in index.items()}
        return self._indexes[provider]

    def _why_not(self, provider: str, region: str, sku: str, purchase: str, term: str, unit: str) -> str:
        """One line that says what is missing and which rows come nearest."""
        wanted = f"no price for {sku} {purchase}{f' {term}' if term else ''} in {provider} {region}"
        own = (row for row in self.own if row.provider == provider)
        same_sku = [row for row in (*own, *self.rows(provider)) if row.sku == sku and not row.zone]
        same_sku.sort(
            key=lambda row: (
                row.region != region,
                row.purchase != purchase,
                row.term != term,
                row.unit != unit,
                row.alt,
                -_common(row.region, region),
            )
        )
        seen: dict[str, None] = {}
        for row in same_sku:
            term_and_unit = f"{f' {row.term}' if row.term else ''}{f' per {row.unit}' if row.unit != unit else ''}"
            seen[f"{row.region} {row.purchase}{term_and_unit}"] = None
        if not seen:
            return f"{wanted}: the price book has no row for {sku}"
        nearest = list(seen)[:_NEAREST_SHOWN]
        more = len(seen) - len(nearest)
        return f"{wanted} per {unit}; known: {', '.join(nearest)}{f' and {more} more' if more > 0 else ''}"


def _key(row: PriceRow) -> _Key:
    return row.region, row.sku, row.purchase, row.term, row.unit


@cache
def _known(folder: Path) -> Known:
    providers = sorted(path.stem for path in folder.glob("*.csv") if path.stem != "sources")
    return Known(tuple(providers), tuple(sorted({row.unit for name in providers for row in _rows(folder, name)})))


def _common(one: str, other: str) -> int:
    """Letters that two regions begin with alike: clouds name them by continent and compass, so more is nearer."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)


@cache
def _rows(folder: Path, provider: str) -> tuple[PriceRow, ...]:
    path = folder / f"{provider}.csv"
    if not path.is_file():
        return ()
    sources = _sources(folder)
    bases: dict[str, Basis] = {}
    rows: list[PriceRow] = []
    with path.open(newline="", encoding="utf-8") as file:
        for record in csv.DictReader(file):
            source = record["source"]
            if source not in bases:
                bases[source] = _basis(sources, provider, source)
            price = Decimal(record.pop("usd_per_unit"))
            rows.append(PriceRow(**record, usd_per_unit=price, basis=bases[source]))
    return tuple(rows)


@cache
def _sources(folder: Path) -> tuple[tuple[str, str, Basis], ...]:
    """(start of the source text, provider or empty, basis), the more specific first."""
    with (folder / "sources.csv").open(newline="", encoding="utf-8") as file:
        rows: list[tuple[str, str, Basis]] = [
            (row["starts_with"], row["provider"], _as_basis(row["basis"])) for row in csv.DictReader(file)
        ]
    return tuple(sorted(rows, key=lambda row: (len(row[0]), row[1] != ""), reverse=True))


def _as_basis(text: str) -> Basis:
    if text == "official" or text == "computed" or text == "third-party":
        return text
    raise ValueError(f"sources.csv: basis {text!r} is not one of official, computed, third-party")


def _basis(sources: tuple[tuple[str, str, Basis], ...], provider: str, source: str) -> Basis:
    for start, only_for, basis in sources:
        if source.startswith(start) and only_for in ("", provider):
            return basis
    raise ValueError(f"sources.csv: no line for source {source!r} of {provider}.csv")
