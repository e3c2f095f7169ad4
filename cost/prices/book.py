"""The names of one place: sources use different names for a Local Zone."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path
from typing import Final

from gpucluster.core.catalog.aws_regions import local_zone_names
from gpucluster.core.catalog.clouds import clouds
from gpucluster.cost.prices.bounds import Bound
from gpucluster.cost.prices.families import family_of, in_family
from gpucluster.cost.prices.files import DamagedBook, PriceFile, sources
from gpucluster.cost.prices.row import Confidence, PriceRow
from gpucluster.cost.prices.user_prices import Known, find_prices, read_prices

__all__ = ["OWN_ROW", "PROVIDERS", "DamagedBook", "NotKnown", "Price", "PriceBook", "places"]


def places(region: str) -> tuple[str, ...]:
    """A region by its name; a Local Zone such as `us-east-1/us-east-1-atl-2a` also by its id and its group."""
    of, _, zone = region.partition("/")
    names = local_zone_names(of, zone) if zone else ()
    return tuple(dict.fromkeys((region, *(f"{of}/{name}" for name in names))))


OWN_ROW: Final = "provider,region,sku,unit,purchase,term,usd_per_unit"
"""The columns that a user's own price requires."""

PROVIDERS: Final = (*clouds(), "coreweave", "crusoe", "hyperstack", "lambda", "nebius", "oracle", "runpod", "vast")
"""The files of the book in this package; a book that lacks one of them is damaged."""

_FOLDER: Final = Path(__file__).parent
_NEAREST_SHOWN: Final = 4
_NOT_PROVIDERS: Final = ("sources",)

_Key = tuple[str, str, str, str]  # sku, purchase, term, unit


@dataclass(frozen=True)
class Price:
    """The price of one unit, and its evidence.

    row: the primary row; the first tier of a graduated price; the newest second opinion if there is nothing else.
    tiers: all tiers in order, empty if the price is not graduated.
    rankable: False if only second opinions are known; such a price is shown but never ranked.
    instead_of: the unknown price that this one stands in for, at the upper bound. Excluded from every total.
    list_usd: USD per unit before a discount, None without a discount.
    """

    row: PriceRow
    confidence: Confidence
    tiers: tuple[PriceRow, ...] = ()
    rankable: bool = True
    instead_of: NotKnown | None = None
    list_usd: Decimal | None = None

    @property
    def usd(self) -> Decimal:
        """USD per unit."""
        return self.row.usd_per_unit


@dataclass(frozen=True)
class NotKnown:
    """No price: never 0, and never that of another region. `reason` lists the nearest known rows.

    row: the beginning of the user's price row for it, in the order of `OWN_ROW`.
    bound: its bound, if requested and derivable from other regions.
    """

    reason: str
    row: str
    bound: Bound | None = None


class PriceBook:
    """The price rows of all providers, one file each; the rows of an item are read on first use.

    today: the date for judging whether prices are fresh or old.
    folder: of the `<provider>.csv` files and `sources.csv`.
    own: a file of the user's own prices, which take precedence over the book's. BadPrices describes its problems.

    Every reader of a file of the book raises DamagedBook if the file cannot be trusted.
    """

    def __init__(self, *, today: datetime.date | None = None, folder: Path = _FOLDER, own: Path | None = None) -> None:
        self.today = today or datetime.date.today()
        self.folder = folder
        self.own = () if own is None else read_prices(own, _known(folder))
        self._indexes: dict[tuple[str, str, str], Mapping[_Key, tuple[PriceRow, ...]]] = {}
        self._found: dict[tuple[str, ...], Price | NotKnown] = {}

    @classmethod
    def in_use(cls, prices: str | None = None) -> PriceBook:
        """The book with the user's own prices: from the file `prices`, else from the one GPUCLUSTER_PRICES names."""
        return cls(own=find_prices(prices))

    @staticmethod
    def forget() -> None:
        """Clear the cache of files, so that changed files are read again."""
        for read in (_known, _names, _file, sources):
            read.cache_clear()

    @property
    def providers(self) -> tuple[str, ...]:
        """Providers with a file, by name."""
        return _names(self.folder)

    def rows(self, provider: str) -> tuple[PriceRow, ...]:
        """Every row of one provider, in file order; empty without a file."""
        found = self._file(provider)
        return () if found is None else found.rows

    def of_sku(self, provider: str, sku: str) -> list[PriceRow]:
        """Every row of one item, the user's own first: all regions, zones and purchase options."""
        found = self._file(provider)
        own = [row for row in self.own if (row.provider, row.sku) == (provider, sku)]
        return own if found is None else [*own, *found.of_sku(sku)]

    def of_family(self, provider: str, sku: str) -> list[PriceRow]:
        """Every row of an item's siblings, the user's own first; none if its name indicates no family."""
        family, found = family_of(sku), self._file(provider)
        if family is None:
            return []
        own = [row for row in self.own if row.provider == provider and in_family(family, row.sku)]
        return own if found is None else [*own, *found.of_family(family)]

    def in_region(self, provider: str, region: str) -> list[PriceRow]:
        """Every row of one region, the user's own first."""
        found = self._file(provider)
        own = [row for row in self.own if (row.provider, row.region) == (provider, region)]
        return own if found is None else [*own, *found.region(region)]

    def of_thing(self, provider: str, region: str, sku: str) -> list[PriceRow]:
        """Every row of one item in one region, the user's own first."""
        own, found = self._own_things.get((provider, region, sku), ()), self._file(provider)
        return [*own] if found is None else [*own, *found.in_region(region, sku)]

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        """The price of `sku` per `unit` in `region`, or in a zone with its own price, such as
        `us-east-1/us-east-1-atl-2a`; `term` is empty, `1y` or `3y`.
        """
        key = (provider, region, sku, purchase, term, unit)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look(*key)
        return found

    def _look(self, provider: str, region: str, sku: str, purchase: str, term: str, unit: str) -> Price | NotKnown:
        key = sku, purchase, term, unit
        rows = next((rows for place in places(region) if (rows := self._index(provider, place, sku).get(key))), ())
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
        """The prices of single zones of a region, lowest first; none if the book has no zones for it."""
        found = self._file(provider)
        zones = {} if found is None else {(_key(row), row.region): row for row in found.zones(region) if not row.alt}
        own = (row for row in self.own if row.provider == provider and row.region.startswith(f"{region}/"))
        zones |= {(_key(row), row.region): row for row in own}
        rows = [row for (key, _), row in zones.items() if key == (sku, purchase, "", unit)]
        return tuple(sorted(rows, key=lambda row: (row.usd_per_unit, row.region)))

    @cached_property
    def _own_things(self) -> Mapping[tuple[str, str, str], Sequence[PriceRow]]:
        """The user's own rows by provider, region and item: their file may be as long as the book."""
        found: dict[tuple[str, str, str], list[PriceRow]] = {}
        for row in self.own:
            found.setdefault((row.provider, row.region, row.sku), []).append(row)
        return found

    def _file(self, provider: str) -> PriceFile | None:
        return _file(self.folder, provider) if provider in _names(self.folder) else None

    def _index(self, provider: str, region: str, sku: str) -> Mapping[_Key, tuple[PriceRow, ...]]:
        thing = provider, region, sku
        if thing not in self._indexes:
            index: dict[_Key, list[PriceRow]] = {}
            found = self._file(provider)
            for row in () if found is None else found.in_region(region, sku):
                index.setdefault(_key(row), []).append(row)
            index |= {_key(row): [row] for row in self._own_things.get(thing, ())}
            self._indexes[thing] = {key: tuple(rows) for key, rows in index.items()}
        return self._indexes[thing]

    def _why_not(self, provider: str, region: str, sku: str, purchase: str, term: str, unit: str) -> str:
        """One line with the missing price and the nearest existing rows."""
        wanted = f"no price for {sku} {purchase}{f' {term}' if term else ''} in {provider} {region}"
        same_sku = [row for row in self.of_sku(provider, sku) if not row.zone]
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
    return row.sku, row.purchase, row.term, row.unit


@cache
def _file(folder: Path, provider: str) -> PriceFile:
    return PriceFile(folder, provider)


@cache
def _known(folder: Path) -> Known:
    units = {unit for name in _names(folder) for unit in _file(folder, name).units}
    return Known(_names(folder), tuple(sorted(units)))


@cache
def _names(folder: Path) -> tuple[str, ...]:
    """Providers with a file. File names come only from here, never from a type in a plan."""
    found = sorted(path.stem for path in folder.glob("*.csv") if path.stem not in _NOT_PROVIDERS)
    for name in PROVIDERS if folder == _FOLDER else ():
        if name not in found:
            raise DamagedBook(f"{name}.csv", "is missing")
    return tuple(found)


def _common(one: str, other: str) -> int:
    """Length of the common prefix of two regions: clouds name regions by continent and compass, so longer is nearer."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)
