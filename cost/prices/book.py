"""Finds the price of one thing in one region."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Final

from gpucluster.catalog.clouds import clouds
from gpucluster.catalog.rows import DamagedTable
from gpucluster.cost.prices.own import Known, find_prices, read_prices
from gpucluster.cost.prices.row import Basis, Confidence, PriceRow
from gpucluster.cost.prices.table import COLUMNS, Table, header_faults, read_table, row_faults, value_faults

__all__ = ["OWN_ROW", "PROVIDERS", "DamagedBook", "NotKnown", "Price", "PriceBook"]

OWN_ROW: Final = "provider,region,sku,unit,purchase,term,usd_per_unit"
"""The columns to give for a price of one's own."""

PROVIDERS: Final = (*clouds(), "coreweave", "crusoe", "lambda", "nebius", "runpod", "vast")
"""The files of the book that comes with this tool; a book without one of them is damaged."""

_FOLDER: Final = Path(__file__).parent
_NEAREST_SHOWN: Final = 4
_SOURCES: Final = ("starts_with", "provider", "basis", "why")
_BASES: Final[Mapping[str, Basis]] = {"official": "official", "computed": "computed", "third-party": "third-party"}
_MAY_BE_EMPTY: Final = ("term", "note")
_AMOUNT: Final = re.compile(r"\d{1,9}(\.\d{1,12})?")
_FREE_TIER: Final = re.compile(r"tier \d+: ")
_RESTORE: Final = "restore the file from the repository, or install this tool again"

_Key = tuple[str, str, str, str, str]  # region, sku, purchase, term, unit


class DamagedBook(DamagedTable):
    """A file of the price book holds what no price can be read from. Nobody gets a total from such a book.

    file: its name. problem: line, column, value, what is allowed.
    """

    def __init__(self, file: str, problem: str, remedy: str = _RESTORE) -> None:
        super().__init__(f"the price book is damaged: cost/prices/{file} {problem}; {remedy}")
        self.file = file
        self.problem = problem


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

    Whatever reads a file of the book raises DamagedBook where it cannot be trusted.
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
        for read in (_known, _names, _rows, _sources):
            read.cache_clear()

    @property
    def providers(self) -> tuple[str, ...]:
        """The providers we have a file for, by name."""
        return _names(self.folder)

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
    return Known(_names(folder), tuple(sorted({row.unit for name in _names(folder) for row in _rows(folder, name)})))


@cache
def _names(folder: Path) -> tuple[str, ...]:
    """The providers that have a file. Names of files come from here alone, never from a type of a plan."""
    found = sorted(path.stem for path in folder.glob("*.csv") if path.stem != "sources")
    for name in PROVIDERS if folder == _FOLDER else ():
        if name not in found:
            raise DamagedBook(f"{name}.csv", "is missing")
    return tuple(found)


def _common(one: str, other: str) -> int:
    """Letters that two regions begin with alike: clouds name them by continent and compass, so more is nearer."""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in alike)


@cache
def _rows(folder: Path, provider: str) -> tuple[PriceRow, ...]:
    if provider not in _names(folder):
        return ()
    file, table = f"{provider}.csv", _table(folder, f"{provider}.csv", COLUMNS)
    if tuple(table.header) != COLUMNS:
        raise DamagedBook(file, f"line 1: the columns are in another order; allowed: {','.join(COLUMNS)}")
    bases = _Bases(_sources(folder), provider)
    return tuple(_row(line, values, bases) for line, values in table.rows)


class _Bases:
    """What the rows of one file share, each combination checked once: that is most of what can be wrong with a row."""

    def __init__(self, sources: Iterable[tuple[str, str, Basis]], provider: str) -> None:
        self.file = f"{provider}.csv"
        self._provider = provider
        self._sources = [source for source in sources if source[1] in ("", provider)]
        self._sound: dict[tuple[str, ...], Basis] = {}

    def of(self, line: int, values: list[str]) -> Basis:
        """The basis of a row's source. DamagedBook where a value that it shares with others is none."""
        provider, _, _, kind, unit, purchase, term, _, as_of, source, _ = values
        shared = (provider, kind, unit, purchase, term, as_of, source)
        if shared not in self._sound:
            self._sound[shared] = self._basis(line, dict(zip(COLUMNS, values, strict=True)))
        return self._sound[shared]

    def _basis(self, line: int, row: Mapping[str, str]) -> Basis:
        _refuse(self.file, line, value_faults(row, tuple(name for name in COLUMNS if name not in _MAY_BE_EMPTY)))
        if row["provider"] != self._provider:
            raise DamagedBook(self.file, f"line {line}: provider is {row['provider']!r}; allowed: {self._provider}")
        for start, _, basis in self._sources:
            if row["source"].startswith(start):
                return basis
        what = f"{row['provider']} {row['sku']} in {row['region']}"
        raise DamagedBook(
            self.file,
            f"line {line}: the source of {what}, {row['source']!r}, has no line in sources.csv",
            f"add a line to sources.csv ({','.join(_SOURCES)}) that the source starts with",
        )


def _row(line: int, values: list[str], bases: _Bases) -> PriceRow:
    _refuse(bases.file, line, row_faults([*COLUMNS], values))
    provider, region, sku, kind, unit, purchase, term, amount, as_of, source, note = values
    basis = bases.of(line, values)
    if not region or not sku:
        raise DamagedBook(bases.file, f"line {line}: {'sku' if region else 'region'} is empty; write a value")
    usd = Decimal(amount) if _AMOUNT.fullmatch(amount) else Decimal(0)
    if not usd and not (_AMOUNT.fullmatch(amount) and _FREE_TIER.match(note)):
        allowed = "a number above 0 in digits alone, such as 61.25; 0 for a tier that is free"
        raise DamagedBook(bases.file, f"line {line}: usd_per_unit is {amount!r}; allowed: {allowed}")
    return PriceRow(
        provider=provider, region=region, sku=sku, kind=kind, unit=unit, purchase=purchase, term=term,
        usd_per_unit=usd, as_of=as_of, source=source, note=note, basis=basis,
    )  # fmt: skip


def _table(folder: Path, file: str, columns: tuple[str, ...]) -> Table:
    """A file of the book, with the columns that it must have and no row short of a value."""
    try:
        table = read_table(folder / file)
    except FileNotFoundError:
        raise DamagedBook(file, "is missing") from None
    except OSError as error:
        raise DamagedBook(file, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DamagedBook(file, str(error)) from None
    _refuse(file, 1, header_faults(table.header, columns, columns))
    if not table.rows:
        raise DamagedBook(file, "has no rows")
    return table


def _refuse(file: str, line: int, faults: Iterator[str]) -> None:
    """DamagedBook with the first of the faults, where there is one."""
    fault = next(faults, None)
    if fault is not None:
        raise DamagedBook(file, f"line {line}: {fault}")


@cache
def _sources(folder: Path) -> tuple[tuple[str, str, Basis], ...]:
    """(start of the source text, provider or empty, basis), the more specific first."""
    found = list(_source_rows(_table(folder, "sources.csv", _SOURCES)))
    return tuple(sorted(found, key=lambda row: (len(row[0]), row[1] != ""), reverse=True))


def _source_rows(table: Table) -> Iterator[tuple[str, str, Basis]]:
    for line, values in table.rows:
        _refuse("sources.csv", line, row_faults(table.header, values))
        row = dict(zip(table.header, values, strict=True))
        if row["basis"] not in _BASES:
            raise DamagedBook("sources.csv", f"line {line}: basis is {row['basis']!r}; allowed: {', '.join(_BASES)}")
        yield row["starts_with"], row["provider"], _BASES[row["basis"]]
