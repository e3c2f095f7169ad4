"""Unreadable values of a bill, by line of a CSV or row of a Parquet file, and column."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from gpucluster.core.environment import installing
from gpucluster.cost.bills.charges import BLOCK_FEE, CATEGORIES, BadBill, Charge, Contract, Read, Rest, columns
from gpucluster.cost.bills.sources import MOST_FAULTS, Source, casts, contracts_of, opened, quoted, source_of
from gpucluster.errors import Fault

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
        # DuckDB reads some damaged files.
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


MEMORY: Final = "1200MB"
"""Limit for DuckDB's buffers; the process needs another 0.3 GB."""

_MOST_UNMARKED: Final = 1000
"""Maximum of charges without labels of the stack to examine, most expensive first."""

_ONE_THING: Final = (
    "provider", "account", "category", "correction", "currency", "unit", "region", "service", "meter", "description",
    "details", "commitment", "reservation", "contract", "resource", "resource_name", "tags",
)  # fmt: skip
_ROW: Final = (
    *(name for name in _ONE_THING if name not in ("tags", "resource_name", "reservation", "contract")),
    "zone", "operation", "price_id", "start", "end_", "CASE WHEN resource = '' THEN tags END",
)  # fmt: skip
"""Fields that identify a row across files. Clouds add tags to earlier days, so the tags of a resource do not belong to
its row. In a bill without resource ids a row is the sum of what has the same tags: there, only the tags tell the rows
of two owners apart. Not the line item's id, which AWS assigns anew in each delivery (Data Exports user guide,
`identity_line_item_id`)."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Charges that may belong to a stack: those whose tags contain one of `words`, or `enough` of `values`, and those
    of the resources `ids`, in lower case. keys: label keys, any of which shows that a charge has labels.
    """

    words: frozenset[str]
    values: frozenset[str]
    enough: int
    ids: frozenset[str]
    keys: frozenset[str]


def read_bills(files: Sequence[Path], wanted: Wanted, start: date | None = None, end: date | None = None) -> Read:
    """The charges in files that begin from `start` on and before `end`. A row in several files counts once, as in the
    file that has it most often, of several such files as in the last.

    BadBill if no file can be read, Fault if DuckDB is not installed.
    """
    duckdb = _duckdb()
    with tempfile.TemporaryDirectory(prefix="gpucluster-bills-") as folder, duckdb.connect() as db:
        for setting, value in (("memory_limit", MEMORY), ("temp_directory", folder), ("threads", 2),
                               ("preserve_insertion_order", False), ("TimeZone", "UTC")):  # fmt: skip
            db.execute(f"SET {setting} = {value!r}")
        faults: list[str] = []
        sources: list[Source] = []
        contracts: list[Contract] = []
        for number, path in enumerate(dict.fromkeys(path.resolve() for path in files)):
            try:
                found = contracts_of(db, _as_given(path, files))
                if found is None:
                    sources.append(source_of(db, number, _as_given(path, files)))
                else:
                    contracts += found
            except BadBill as error:
                faults.append(str(error))
            except duckdb.Error as error:
                faults.append(f"{_as_given(path, files)} cannot be read: {_first_line(error)}")
        if not sources:
            raise BadBill("\n".join(faults) or "the files have contract commitments only: give the bill, too")
        try:
            repeated, changed = _gather(db, sources, wanted, start, end)
        except duckdb.OutOfMemoryException as error:
            raise Fault(
                f"the bill does not fit into {MEMORY} of memory and the free disk space: {_first_line(error)}"
            ) from None
        except duckdb.Error as error:
            raise BadBill(f"the bill cannot be read: {_first_line(error)}") from None
        lacking = {file for (file,) in db.execute("SELECT DISTINCT lacking FROM every").fetchall()}
        faults += [one for source in sources for one in faults_of(db, source, lacks=source.number in lacking)]
        return replace(_read(db, tuple(faults), repeated, changed), contracts=tuple(contracts))


def _duckdb() -> ModuleType:
    try:
        import duckdb
    except ModuleNotFoundError:
        raise Fault(f"reading a bill needs DuckDB: {installing('duckdb')}") from None
    return duckdb


def _as_given(path: Path, files: Sequence[Path]) -> Path:
    return next(file for file in files if file.resolve() == path)


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _gather(
    db: DuckDBPyConnection, sources: Sequence[Source], wanted: Wanted, start: date | None, end: date | None
) -> tuple[int, int]:
    """Creates table `every`. Returns rows that a later file repeats, and those of them that differ there."""
    every = " UNION ALL ".join(f"({source.select})" for source in sources)
    when = [f"start >= TIMESTAMP '{start}'"] if start else []
    when += [f"start < TIMESTAMP '{end}'"] if end else []
    rows = f"SELECT * FROM ({every}) WHERE lacks OR ({' AND '.join(when) or 'true'})"
    repeated = changed = 0
    if len(sources) > 1:
        rows = f"SELECT *, hash({', '.join(_ROW)}) AS key FROM ({rows})"
        each = f"SELECT key, file, count(*) AS number, sum(billed) AS billed FROM ({rows}) GROUP BY key, file"
        db.execute(
            "CREATE TEMP TABLE repeated AS SELECT key, arg_max(file, (number, file)) AS kept, "
            "sum(number) - max(number) AS number, min(billed) <> max(billed) AS other "
            f"FROM ({each}) GROUP BY key HAVING count(*) > 1"
        )
        [(repeated, changed)] = db.execute(
            "SELECT coalesce(sum(number), 0)::BIGINT, coalesce(sum(number) FILTER (other), 0)::BIGINT FROM repeated"
        ).fetchall()
        rows = (
            f"SELECT rows.* FROM ({rows}) AS rows LEFT JOIN repeated USING (key) "
            "WHERE repeated.kept IS NULL OR rows.file = repeated.kept"
        )
    folded = ", ".join(_folded(name) for name in _ONE_THING)
    db.execute(
        f"CREATE TEMP TABLE every AS SELECT {folded}, whose, CASE WHEN lacks THEN file END AS lacking, "
        "count(*) AS rows, sum(quantity) AS quantity, "
        "sum(billed) AS billed, sum(effective) AS effective, min(start) AS start, max(end_) AS end_ "
        f"FROM (SELECT *, {_whose(wanted)} AS whose FROM ({rows})) GROUP BY ALL",
        {"ids": sorted(wanted.ids)},
    )
    return repeated, changed


def _whose(wanted: Wanted) -> str:
    """`ours` if a row may belong to the stack, `fee` for another block's fee, which may pay for machines of the stack,
    `unknown` if nothing identifies its owner, else `others`.
    """
    values = [f"({one})::INT" for one in _contains("tags", wanted.values)]
    conditions = ["lower(resource) IN (SELECT unnest($ids::VARCHAR[]))", *_contains("tags", wanted.words)]
    conditions += [f"{' + '.join(values)} >= {wanted.enough}"] if values else []
    others = " OR ".join(["category <> 'Usage'", *_contains("lower(tags)", wanted.keys)])
    fee = f"contains(meter, {quoted(BLOCK_FEE)})"
    stack = " OR ".join(conditions)
    return f"CASE WHEN {stack} THEN 'ours' WHEN {fee} THEN 'fee' WHEN {others} THEN 'others' ELSE 'unknown' END"


def _folded(name: str) -> str:
    """A field of a charge; other owners' rows become one sum per category and currency, however large the bill."""
    if name in ("category", "currency"):
        return name
    nothing = "false" if name == "correction" else "''"
    return f"CASE WHEN whose = 'others' THEN {nothing} ELSE {name} END AS {name}"


def _contains(text: str, words: frozenset[str]) -> list[str]:
    return [f"contains({text}, {quoted(word)})" for word in sorted(words)]


def _read(db: DuckDBPyConnection, faults: tuple[str, ...], repeated: int, changed: int) -> Read:
    listed = ", ".join((*_ONE_THING, "rows", "quantity", "billed", "effective", "start", "end_"))
    db.execute(
        "CREATE TEMP TABLE charges AS SELECT *, whose IN ('ours', 'fee') OR (whose = 'unknown' AND "
        f"row_number() OVER (PARTITION BY whose ORDER BY abs(effective) DESC) <= {_MOST_UNMARKED}) AS kept "
        "FROM every WHERE lacking IS NULL"
    )
    found = db.execute(f"SELECT {listed} FROM charges WHERE kept ORDER BY ALL").fetchall()
    rest = db.execute(
        "SELECT category, currency, sum(rows)::BIGINT, sum(billed), sum(effective) FROM charges WHERE NOT kept "
        "GROUP BY category, currency ORDER BY ALL"
    ).fetchall()
    [(rows,)] = db.execute("SELECT coalesce(sum(rows), 0)::BIGINT FROM charges").fetchall()
    names = (*_ONE_THING, "rows", "quantity", "billed", "effective", "start", "end")
    return Read(
        charges=tuple(Charge(**dict(zip(names, row, strict=True))) for row in found),
        rest=tuple(Rest(*row) for row in rest),
        rows=rows,
        faults=faults,
        repeated=repeated,
        changed=changed,
    )
