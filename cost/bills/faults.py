"""Unreadable values of a bill, by line of a CSV or row of a Parquet file, and column."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from gpucluster.cost.bills.charges import BadBill
from gpucluster.cost.bills.sources import MOST_FAULTS, Source, casts, opened
from gpucluster.cost.bills.tables import CATEGORIES, columns

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_SHOWN: Final = 20
_ALLOWED: Final = {
    "text": "write a value",
    "number": "write a number, such as 12.5",
    "time": "write a time, such as 2026-10-01T00:00:00Z",
    "category": f"allowed: {', '.join(CATEGORIES)}",
}


def faults_of(db: DuckDBPyConnection, source: Source, *, lacks: bool) -> Iterator[str]:
    """One line per fault, the first 20 of a file, once its rows are read. lacks: whether rows had to be omitted."""
    if source.parquet:
        found = sorted(_in_parquet(db, source)) if lacks else []
    else:
        found = sorted([*_in_csv(db, source), *(_empty(source) if lacks else ())])
    what = "row" if source.parquet else "line"
    yield from (f"{source.path} {what} {line}: {fault}" for line, fault in found[:_SHOWN])
    if len(found) > _SHOWN:
        more = f"{len(found) - _SHOWN:,}{' or more' if len(found) >= MOST_FAULTS else ''}"
        yield f"{source.path}: and {more} more such rows"


def _in_csv(db: DuckDBPyConnection, source: Source) -> Iterator[tuple[int, str]]:
    names = list(source.has)
    rows = db.execute(
        "SELECT line, error_type::VARCHAR AS error, min(column_idx), max(column_idx), any_value(csv_line), "
        "bool_or(error_message LIKE '%ENUM(%') "
        f"FROM rejects_{source.number} GROUP BY line, error ORDER BY line, error DESC"
    ).fetchall()
    category = next((at for at, name in enumerate(names, 1) if name == "ChargeCategory"), 0)
    by_line = {row[0]: row for row in rows}  # of several errors of a line the first by name, and its columns
    for line, error, of_line, last, text, of_category in by_line.values():
        # For an invalid value in a list, DuckDB 2.0 counts only the columns of the query.
        first = category if of_category else of_line
        if error == "CAST":
            fault = _not_so(source, names[first - 1], _cell(text, first - 1))
        elif error == "MISSING COLUMNS":
            fault = f"{first} values for {len(names)} columns: {names[first]} and later columns are missing"
        elif error == "TOO MANY COLUMNS":
            fault = f"{last} values for {len(names)} columns; put a text with a comma in quotes"
        elif error == "UNQUOTED VALUE":
            fault = f"column {names[min(first, len(names)) - 1]}: a quote is not closed, or text follows it"
        elif first is None:  # a line longer than DuckDB reads
            fault = error.lower()
        else:
            fault = f"column {names[min(first, len(names)) - 1]}: {error.lower()}"
        yield line, fault


def _cell(text: str, at: int) -> str:
    cells = next(csv.reader(io.StringIO(text, newline="")), list[str]())
    return cells[at] if at < len(cells) else ""


def _empty(source: Source) -> Iterator[tuple[int, str]]:
    """Lines without a required value, which DuckDB reads as NULL."""
    needed = [name for column in columns(source.form) if column.needed for name in column.names if name in source.has]
    places = [(list(source.has).index(name), name) for name in needed]
    try:
        with opened(source.path) as file:
            rows = csv.reader(file)
            next(rows)
            found = ((rows.line_num, name) for row in rows for at, name in places if len(row) > at and not row[at])
            yield from ((line, _not_so(source, name, "")) for line, name in islice(found, MOST_FAULTS))
    except (UnicodeDecodeError, csv.Error, EOFError, gzip.BadGzipFile, zlib.error) as error:
        # DuckDB reads some of what is damaged.
        raise BadBill(f"{source.path} is damaged: {error}; download it again") from None


def _in_parquet(db: DuckDBPyConnection, source: Source) -> Iterator[tuple[int, str]]:
    needed = {name for column in columns(source.form) if column.needed for name in column.names}
    for name, cast in casts(source.form, source.has):
        bare = name.strip('"')
        empty = f" OR {name} IS NULL" if bare in needed else ""
        rows = db.execute(
            f"SELECT file_row_number + 1, coalesce({name}::VARCHAR, '') FROM {source.table} "
            f"WHERE ({name} IS NOT NULL AND {cast} IS NULL){empty} ORDER BY 1 LIMIT {MOST_FAULTS}"
        ).fetchall()
        yield from ((row, _not_so(source, bare, value)) for row, value in rows)


def _not_so(source: Source, name: str, value: str) -> str:
    [kind] = {column.type for column in columns(source.form) if name in column.names}
    return f"column {name} is {repr(value) if value else 'empty'}; {_ALLOWED[kind]}"
