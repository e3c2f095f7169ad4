"""Reads a CSV file of prices, the book's or the user's: its rows with line numbers, and its problems; writes the
book's.
"""

from __future__ import annotations

import csv
import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Final, get_args

from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.cost.prices.families import Family, in_family
from gpucluster.cost.prices.row import Basis, PriceRow, Purchase, as_of_date

COLUMNS: Final = (
    "provider", "region", "sku", "kind", "unit", "purchase", "term", "usd_per_unit", "as_of", "source", "note",
)  # fmt: skip
_PURCHASES: Final = get_args(Purchase)
_WITH_TERM: Final = ("reserved", "savings_plan", "instance_savings_plan")
_TERMS: Final = ("1y", "1y-partial", "1y-all", "3y", "3y-partial", "3y-all")


@dataclass(frozen=True)
class Table:
    """A file as read. rows: line number, and the values of each non-empty row."""

    header: list[str]
    rows: list[tuple[int, list[str]]]


def read_table(path: Path) -> Table:
    """The table in a file. Raises ValueError if it is not a CSV in UTF-8, OSError if it cannot be opened."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            rows = [(reader.line_num, values) for values in reader if values]
            return Table(rows[0][1], rows[1:]) if rows else Table([], [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"cannot be read as CSV in UTF-8: {error}") from None


def write_rows(path: Path, rows: Iterable[PriceRow]) -> None:
    """Write a file of the book."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            values = (row.provider, row.region, row.sku, row.kind, row.unit, row.purchase, row.term,
                      f"{row.usd_per_unit:f}", row.as_of, row.source, row.note)  # fmt: skip
            writer.writerow(values)


def header_faults(header: list[str], needed: tuple[str, ...], allowed: tuple[str, ...] = COLUMNS) -> Iterator[str]:
    """Problems of the header."""
    missing = [name for name in needed if name not in header]
    if missing:
        yield f"no column {', '.join(missing)}; write at least {','.join(needed)}"
    for name in header:
        if name not in allowed:
            yield f"column {name!r} is not known; allowed: {', '.join(allowed)}"
    for name in dict.fromkeys(name for name in header if header.count(name) > 1):
        yield f"column {name!r} appears twice; keep one of them"


def row_faults(header: list[str], values: list[str]) -> Iterator[str]:
    """A wrong number of values."""
    if len(values) > len(header):
        yield f"more values than columns: {values[len(header) :]} is left over; put a text with a comma in quotes"
    elif len(values) < len(header):
        yield "fewer values than columns; leave a value empty, do not omit it"


def value_faults(row: Mapping[str, str], needed: tuple[str, ...]) -> Iterator[str]:
    """Problems of the values that many rows share: column, value, allowed values."""
    yield from (f"{name} is empty; write a value" for name in needed if not row[name])
    purchase, term, as_of = row.get("purchase") or "on_demand", row.get("term", ""), row.get("as_of", "")
    if purchase not in _PURCHASES:
        yield f"purchase is {purchase!r}; allowed: {', '.join(_PURCHASES)}"
    elif purchase in _WITH_TERM and term not in _TERMS:
        yield f"term is {term!r}; allowed for {purchase}: {', '.join(_TERMS)}"
    elif purchase not in _WITH_TERM and term:
        yield f"term is {term!r}; leave it empty for {purchase}"
    if as_of and not _is_date(as_of):
        yield f"as_of is {as_of!r}; allowed: a day, month or year such as 2026-11-01, or nothing"


def _is_date(text: str) -> bool:
    try:
        if as_of_date(text) is None:
            datetime.date(int(text), 1, 1)
    except ValueError:
        return False
    return True


_SOURCES: Final = ("starts_with", "provider", "basis", "why")
_ABOUT: Final = ("licence", "url")
"""Columns of `sources.csv` for readers and tests: the licence of the facts, and their address."""
_BASES: Final[Mapping[str, Basis]] = {"official": "official", "computed": "computed", "third-party": "third-party"}
_MAY_BE_EMPTY: Final = ("term", "note")
_AMOUNT: Final = re.compile(r"\d{1,9}(\.\d{1,12})?")
_FREE_TIER: Final = re.compile(r"tier \d+: ")
_RESTORE: Final = "restore the file from the repository, or install this tool again"
_ALLOWED_AMOUNT: Final = "a number above 0, digits only, such as 61.25; 0 for a free tier"

_FEW: Final = 4
"""Usual maximum of regions in a preview of a program."""

Line = tuple[int, str]


class DamagedBook(DamagedTable):
    """A file of the price book has an unreadable row. Such a book gives no totals.

    file: its name. problem: line, column, value, allowed values.
    """

    def __init__(self, file: str, problem: str, remedy: str = _RESTORE) -> None:
        super().__init__(f"the price book is damaged: cost/prices/{file} {problem}; {remedy}")
        self.file = file
        self.problem = problem


@dataclass(frozen=True)
class Source:
    """A line of `sources.csv`. provider: empty if it applies to all. licence, url: empty in a book without them."""

    starts_with: str
    provider: str
    basis: Basis
    licence: str = ""
    url: str = ""


class PriceFile:
    """The rows of one provider. DamagedBook if the file, or a requested row, cannot be trusted.

    A row is one line, and the columns before its unit are never quoted, so regions are found without parsing rows.
    """

    def __init__(self, folder: Path, provider: str) -> None:
        self._folder = folder
        self._provider = provider
        self._file = f"{provider}.csv"
        self._things: dict[str, dict[str, list[Line]]] = {}
        self._regions: dict[str, tuple[PriceRow, ...]] = {}
        self._zones: dict[str, tuple[PriceRow, ...]] = {}
        self._skus: dict[str, tuple[PriceRow, ...]] = {}
        self._sound: dict[tuple[str, ...], Basis] = {}
        self._lines = self._read()

    def region(self, name: str) -> tuple[PriceRow, ...]:
        """The rows of a region, or of a zone such as `us-east-1/use1-az2`."""
        if name not in self._regions:
            self._regions[name] = tuple(self._rows(self._lines_of(name)))
        return self._regions[name]

    def in_region(self, name: str, sku: str) -> tuple[PriceRow, ...]:
        """The rows of one item in a region or zone."""
        if name not in self._things:
            self._things[name] = {}
            for line in self._lines_of(name):
                self._things[name].setdefault(line[1].split(",", 3)[2], []).append(line)
        return tuple(self._rows(self._things[name].get(sku, ())))

    def zones(self, region: str) -> tuple[PriceRow, ...]:
        """The rows of single zones of a region."""
        if region not in self._zones:
            self._zones[region] = tuple(self._rows(self._starting(f"{self._provider},{region}/")))
        return self._zones[region]

    def of_sku(self, sku: str) -> tuple[PriceRow, ...]:
        """The rows of one item in all regions and zones."""
        if sku not in self._skus:
            self._skus[sku] = tuple(self._rows(self._by_sku.get(sku, ())))
        return self._skus[sku]

    def of_family(self, family: Family) -> tuple[PriceRow, ...]:
        """The rows of one family's items in all regions and zones."""
        return tuple(row for sku in self.skus if in_family(family, sku) for row in self.of_sku(sku))

    @cached_property
    def skus(self) -> tuple[str, ...]:
        """The SKUs with a row, in file order."""
        return tuple(self._by_sku)

    @cached_property
    def _by_sku(self) -> Mapping[str, Sequence[Line]]:
        found: dict[str, list[Line]] = {}
        for line in self._lines:
            if len(cells := line[1].split(",", 3)) > 3:
                found.setdefault(cells[2], []).append(line)
        return found

    @cached_property
    def rows(self) -> tuple[PriceRow, ...]:
        """Every row, in file order."""
        return tuple(self._rows(self._lines))

    @cached_property
    def units(self) -> frozenset[str]:
        """The units of all rows."""
        return frozenset(cells[4] for _, line in self._lines if len(cells := line.split(",", 5)) == 6)

    def _lines_of(self, region: str) -> Sequence[Line]:
        """Lines of a region or zone; one search is faster than an index, which only queries of many regions need."""
        if len(self._things) <= _FEW:
            return self._starting(f"{self._provider},{region},")
        return self._by_region.get(region, ())

    @cached_property
    def _by_region(self) -> Mapping[str, Sequence[Line]]:
        found: dict[str, list[Line]] = {}
        for line in self._lines:
            if line[1].startswith(f"{self._provider},"):
                found.setdefault(line[1].split(",", 2)[1], []).append(line)
        return found

    def _starting(self, start: str) -> list[Line]:
        return [line for line in self._lines if line[1].startswith(start)]

    def _read(self) -> list[Line]:
        text = _text(self._folder, self._file)
        header, *rest = text.split("\n")
        columns: list[str] = next(csv.reader([header]), list[str]())
        _refuse(self._file, 1, header_faults(columns, COLUMNS, COLUMNS))
        if tuple(columns) != COLUMNS:
            raise DamagedBook(self._file, f"line 1: the columns are in another order; allowed: {','.join(COLUMNS)}")
        lines = [(number, line) for number, line in enumerate(rest, 2) if line]
        if not lines:
            raise DamagedBook(self._file, "has no rows")
        return lines

    def _rows(self, lines: Sequence[Line]) -> Iterator[PriceRow]:
        try:
            for (number, _), values in zip(lines, csv.reader((line for _, line in lines), strict=True), strict=True):
                yield self._row(number, values)
        except (csv.Error, ValueError) as error:
            raise DamagedBook(self._file, f"cannot be read as CSV in UTF-8: {error}") from None

    def _row(self, line: int, values: list[str]) -> PriceRow:
        _refuse(self._file, line, row_faults([*COLUMNS], values))
        provider, region, sku, kind, unit, purchase, term, amount, as_of, source, note = values
        shared = (provider, kind, unit, purchase, term, as_of, source.partition("#")[0])
        if shared not in self._sound:
            self._sound[shared] = self._basis(line, dict(zip(COLUMNS, values, strict=True)))
        if not region or not sku:
            raise DamagedBook(self._file, f"line {line}: {'sku' if region else 'region'} is empty; write a value")
        usd = Decimal(amount) if _AMOUNT.fullmatch(amount) else Decimal(0)
        if not usd and not (_AMOUNT.fullmatch(amount) and _FREE_TIER.match(note)):
            raise DamagedBook(self._file, f"line {line}: usd_per_unit is {amount!r}; allowed: {_ALLOWED_AMOUNT}")
        return PriceRow(
            provider=provider, region=region, sku=sku, kind=kind, unit=unit, purchase=purchase, term=term,
            usd_per_unit=usd, as_of=as_of, source=source, note=note, basis=self._sound[shared],
        )  # fmt: skip

    def _basis(self, line: int, row: Mapping[str, str]) -> Basis:
        """The columns that rows of a file share; each combination is checked once and covers most faults of a row."""
        _refuse(self._file, line, value_faults(row, tuple(name for name in COLUMNS if name not in _MAY_BE_EMPTY)))
        if row["provider"] != self._provider:
            raise DamagedBook(self._file, f"line {line}: provider is {row['provider']!r}; allowed: {self._provider}")
        for source in sources(self._folder):
            if source.provider in ("", self._provider) and row["source"].startswith(source.starts_with):
                return source.basis
        what = f"{row['provider']} {row['sku']} in {row['region']}"
        raise DamagedBook(
            self._file,
            f"line {line}: the source of {what}, {row['source']!r}, has no line in sources.csv",
            f"add a line to sources.csv ({','.join((*_SOURCES, *_ABOUT))}) that the source starts with",
        )


@cache
def sources(folder: Path) -> tuple[Source, ...]:
    """The lines of `sources.csv`, more specific ones first."""
    table = _table(folder, "sources.csv")
    return tuple(sorted(_sources(table), key=lambda one: (len(one.starts_with), one.provider != ""), reverse=True))


def _sources(table: Table) -> Iterator[Source]:
    for line, values in table.rows:
        given = values if len(values) < len(_SOURCES) else values + [""] * (len(table.header) - len(values))
        _refuse("sources.csv", line, row_faults(table.header, given))
        row = dict(zip(table.header, given, strict=True))
        if row["basis"] not in _BASES:
            raise DamagedBook("sources.csv", f"line {line}: basis is {row['basis']!r}; allowed: {', '.join(_BASES)}")
        about = {name: row.get(name, "") for name in _ABOUT}
        yield Source(starts_with=row["starts_with"], provider=row["provider"], basis=_BASES[row["basis"]], **about)


def _table(folder: Path, file: str) -> Table:
    try:
        table = read_table(folder / file)
    except FileNotFoundError:
        raise DamagedBook(file, "is missing") from None
    except OSError as error:
        raise DamagedBook(file, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DamagedBook(file, str(error)) from None
    _refuse(file, 1, header_faults(table.header, _SOURCES, (*_SOURCES, *_ABOUT)))
    if not table.rows:
        raise DamagedBook(file, "has no rows")
    return table


def _text(folder: Path, file: str) -> str:
    try:
        return (folder / file).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DamagedBook(file, "is missing") from None
    except OSError as error:
        raise DamagedBook(file, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DamagedBook(file, f"cannot be read as CSV in UTF-8: {error}") from None


def _refuse(file: str, line: int, faults: Iterable[str]) -> None:
    """DamagedBook with the first fault, if any."""
    fault = next(iter(faults), None)
    if fault is not None:
        raise DamagedBook(file, f"line {line}: {fault}")
