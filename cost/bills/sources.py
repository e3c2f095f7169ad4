"""One file of a bill: its format, and the query that reads it."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from gpucluster.cost.bills.charges import CATEGORIES, USD, BadBill, Column, Contract, Form, columns, line_types

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_TELLS: Final[tuple[tuple[str, Form], ...]] = (("BilledCost", "focus"), ("line_item_unblended_cost", "cur2"))
_TYPES: Final = {"number": "DECIMAL(38, 12)", "time": "TIMESTAMP"}
MOST_FAULTS: Final = 1000
"""Maximum of faulty rows reported per file; further ones are not counted."""
_PARQUET: Final = b"PAR1"
_GZIP: Final = b"\x1f\x8b"
_EMPTY: Final = "''"


@dataclass(frozen=True, kw_only=True)
class Source:
    """number: position of the file in the input. has: its columns and their types. table: the table to read. select:
    its rows by the fields of `tables.columns`.
    """

    path: Path
    number: int
    form: Form
    parquet: bool
    has: Mapping[str, str]
    table: str
    select: str


_CONTRACT: Final = (
    "ContractCommitmentId", "ContractCommitmentPeriodStart", "ContractCommitmentPeriodEnd", "ContractCommitmentCost",
    "BillingCurrency",
)  # fmt: skip
"""Columns of FOCUS' contract commitments (FOCUS_Spec, specification/datasets/contract_commitment, f1eeb30)."""


def contracts_of(db: DuckDBPyConnection, path: Path) -> tuple[Contract, ...] | None:
    """The contract commitments of a file; None for a bill. BadBill for a row without a period."""
    parquet, has = _columns_of(db, path)
    if _CONTRACT[0] not in has or _form(has) is not None:
        return None
    if lacks := [name for name in _CONTRACT if name not in has]:
        raise BadBill(f"{path} line 1: no column {', '.join(lacks)}: the file is not read")
    table = f"read_parquet({quoted(path)})" if parquet else f"read_csv({quoted(path)}, all_varchar = true)"
    id_, start, end, cost, currency = (f'"{name}"' for name in _CONTRACT)
    rows = db.execute(
        f"SELECT {id_}::VARCHAR, TRY_CAST({start} AS TIMESTAMP), TRY_CAST({end} AS TIMESTAMP), "
        f"CASE WHEN {currency} = {quoted(USD)} THEN TRY_CAST({cost} AS {_TYPES['number']}) END FROM {table}"
    ).fetchall()
    if bad := [row[0] for row in rows if not (row[0] and row[1] and row[2] and row[1] < row[2])]:
        raise BadBill(f"{path}: contract commitment {bad[0] or 'without an id'} has no period: the file is not read")
    return tuple(Contract(*row) for row in rows)


def _columns_of(db: DuckDBPyConnection, path: Path) -> tuple[bool, dict[str, str]]:
    """(whether a file is Parquet, its columns and their types)."""
    try:
        with path.open("rb") as file:
            parquet = file.read(4) == _PARQUET
    except OSError as error:
        raise BadBill(f"{path} cannot be read: {error.strerror}") from None
    return parquet, _types(db, path) if parquet else dict.fromkeys(_header(path), "VARCHAR")


def source_of(db: DuckDBPyConnection, number: int, path: Path) -> Source:
    """The query for a file. BadBill if its format is unknown."""
    parquet, has = _columns_of(db, path)
    form = _form(has)
    if form is None:
        names = " or ".join(name for name, _ in _TELLS)
        raise BadBill(f"{path} line 1: no column {names}; bills are FOCUS 1.0 to 1.4, or AWS's CUR 2.0")
    lacks = [column.names[0] for column in columns(form) if column.needed and not _of(column, has)]
    if lacks:
        raise BadBill(f"{path} line 1: no column {', '.join(lacks)}: the file is not read")
    table = f"read_parquet({quoted(path)}, file_row_number = true)" if parquet else _csv(path, number, form, has)
    return Source(
        path=path, number=number, form=form, parquet=parquet, has=has, table=table,
        select=_select(number, form, has, table, parquet=parquet),
    )  # fmt: skip


def _form(has: Mapping[str, str]) -> Form | None:
    return next((form for name, form in _TELLS if name in has), None)


def _types(db: DuckDBPyConnection, path: Path) -> dict[str, str]:
    rows = db.execute(f"DESCRIBE SELECT * FROM read_parquet({quoted(path)})").fetchall()
    return {row[0]: row[1] for row in rows}


def opened(path: Path) -> TextIO:
    """A CSV as text, decompressed if gzipped."""
    with path.open("rb") as file:
        zipped = file.read(2) == _GZIP
    text: Any = (gzip.open if zipped else open)(path, "rt", encoding="utf-8-sig", newline="")
    return text


def _header(path: Path) -> list[str]:
    """The first line. BadBill if it is not text, or repeats a column."""
    try:
        with opened(path) as file:
            names = next(csv.reader(file), list[str]())
    except (UnicodeDecodeError, csv.Error, EOFError, gzip.BadGzipFile, zlib.error):
        raise BadBill(f"{path} is neither CSV in UTF-8 nor Parquet") from None
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise BadBill(f"{path} line 1: column {', '.join(twice)} appears twice")
    return names


def _of(column: Column, has: Mapping[str, str]) -> list[str]:
    return [name for name in column.names if name in has]


def _type(column: Column, form: Form) -> str:
    """Line type; types that AWS adds later are not errors."""
    if column.type == "category" and form == "focus":
        return f"ENUM({', '.join(map(quoted, CATEGORIES))})"
    return _TYPES.get(column.type, "VARCHAR")


def _csv(path: Path, number: int, form: Form, has: Mapping[str, str]) -> str:
    types = {name: _type(column, form) for column in columns(form) for name in _of(column, has)}
    listed = ", ".join(f"{quoted(name)}: {quoted(types.get(name, 'VARCHAR'))}" for name in has)
    return (
        f"read_csv({quoted(path)}, header = true, delim = ',', quote = '\"', escape = '\"', auto_detect = false, "
        f"columns = {{{listed}}}, store_rejects = true, rejects_limit = {MOST_FAULTS}, "
        f"rejects_table = 'rejects_{number}', rejects_scan = 'scans_{number}')"
    )


def _select(number: int, form: Form, has: Mapping[str, str], table: str, *, parquet: bool) -> str:
    """The rows of a file. `lacks`: whether a required value is missing or, in Parquet, of the wrong type; in CSV, types
    are checked while reading.
    """
    fields = {column.field: _value(column, form, has, parquet=parquet) for column in columns(form)}
    sound = " AND ".join(f"{fields[column.field]} IS NOT NULL" for column in columns(form) if column.needed)
    bad = " OR ".join(f"({name} IS NOT NULL AND {cast} IS NULL)" for name, cast in casts(form, has)) if parquet else ""
    if form == "cur2":
        fields |= _of_aws(fields)
    else:
        fields["correction"] = f"coalesce({fields['class']} = 'Correction', false)"
        fields["category"] = f"{fields['category']}::VARCHAR"
    fields["end_"] = fields.pop("end")
    kept = [name for name in fields if name not in ("class", "savings_plan_cost", "reservation_cost")]
    listed = ", ".join(f"{fields[name]} AS {name}" for name in sorted(kept))
    return f"SELECT {number} AS file, NOT ({sound}){f' OR {bad}' if bad else ''} AS lacks, {listed} FROM {table}"


def _value(column: Column, form: Form, has: Mapping[str, str], *, parquet: bool) -> str:
    """A field as SQL. Texts are never NULL, so that they can be compared."""
    found: list[str] = []
    for name in _of(column, has):
        column_name = f'"{name}"'
        if column.type in ("text", "tags"):
            nested = has[name] != "VARCHAR" and (column.type == "tags" or "(" in has[name])
            found.append(f"to_json({column_name})::VARCHAR" if nested else f"{column_name}::VARCHAR")
        else:
            found.append(f"TRY_CAST({column_name} AS {_type(column, form)})" if parquet else column_name)
    if column.type in ("text", "tags"):
        return f"coalesce({', '.join([*(f'nullif({one}, {_EMPTY})' for one in found), _EMPTY])})"
    return found[0] if found else "NULL::DECIMAL(38, 12)"


def _of_aws(fields: Mapping[str, str]) -> dict[str, str]:
    """Fields that CUR 2.0 words differently from FOCUS."""
    kind = f"({fields['category']})::VARCHAR"

    def by_type(values: Mapping[str, str], other: str) -> str:
        cases = " ".join(f"WHEN {quoted(name)} THEN {value}" for name, value in values.items())
        return f"CASE {kind} {cases} ELSE {other} END"

    types = line_types()
    nothing = "0::DECIMAL(38, 12)"
    costs = {name: f"coalesce({fields[one.effective]}, 0)" if one.effective else nothing for name, one in types.items()}
    counted = {name: fields["quantity"] for name, one in types.items() if one.counts}
    return {
        "provider": "'AWS'",
        "correction": "false",
        "category": by_type({name: quoted(one.category) for name, one in types.items()}, "'Adjustment'"),
        "effective": by_type(costs, fields["billed"]),
        "quantity": by_type(counted, "NULL"),
    }


def casts(form: Form, has: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(column, its value or NULL if invalid) of the columns that are not text, for Parquet."""
    for column in columns(form):
        if column.type not in ("text", "tags"):
            yield from ((f'"{name}"', f'TRY_CAST("{name}" AS {_type(column, form)})') for name in _of(column, has))


def quoted(value: object) -> str:
    """A text as a quoted SQL literal."""
    escaped = str(value).replace("'", "''")
    return f"'{escaped}'"
