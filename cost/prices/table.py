"""Reads a CSV file of prices, the book's or the user's: its rows with line numbers, and its problems; writes the
book's.
writes the book's.
"""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from gpucluster.cost.prices.row import PriceRow, Purchase, as_of_date

COLUMNS: Final = (
    "provider", "region", "sku", "kind", "unit", "purchase", "term", "usd_per_unit", "as_of", "source", "note",
)  # fmt: skip
_PURCHASES: Final = get_args(Purchase)
_WITH_TERM: Final = ("reserved", "savings_plan")
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
