"""Reads bills with DuckDB, which spills to disk above its memory limit `MEMORY`.

CSV (also .gz) and Parquet, in the formats of `tables.columns`. A row with an invalid value is omitted and reported.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from gpucluster.cost.bills.charges import BadBill, Charge, Read, Rest
from gpucluster.cost.bills.faults import faults_of
from gpucluster.cost.bills.sources import Source, quoted, source_of
from gpucluster.errors import Fault
from gpucluster.extras import installing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


MEMORY: Final = "1200MB"
"""Limit for DuckDB's buffers; the process needs another 0.3 GB."""

_MOST_UNMARKED: Final = 1000
"""Maximum of charges without labels of the stack to examine, most expensive first."""

_ONE_THING: Final = (
    "provider", "account", "category", "correction", "currency", "unit", "region", "service", "meter", "description",
    "details", "commitment", "resource", "resource_name", "tags",
)  # fmt: skip
_ROW: Final = (*(name for name in _ONE_THING if name not in ("tags", "resource_name")), "price_id", "start", "end_")
"""Fields that identify a row across files. Not its tags, which clouds add later."""


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
    last of them.

    BadBill if no file can be read, Fault if DuckDB is not installed.
    """
    duckdb = _duckdb()
    with tempfile.TemporaryDirectory(prefix="gpucluster-bills-") as folder, duckdb.connect() as db:
        for setting, value in (("memory_limit", MEMORY), ("temp_directory", folder), ("threads", 2),
                               ("preserve_insertion_order", False), ("TimeZone", "UTC")):  # fmt: skip
            db.execute(f"SET {setting} = {value!r}")
        faults: list[str] = []
        sources: list[Source] = []
        for number, path in enumerate(dict.fromkeys(path.resolve() for path in files)):
            try:
                sources.append(source_of(db, number, _as_given(path, files)))
            except BadBill as error:
                faults.append(str(error))
            except duckdb.Error as error:
                faults.append(f"{_as_given(path, files)} cannot be read: {_first_line(error)}")
        if not sources:
            raise BadBill("\n".join(faults))
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
        return _read(db, tuple(faults), repeated, changed)


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
            "CREATE TEMP TABLE repeated AS SELECT key, max(file) AS kept, "
            "sum(number) - arg_max(number, file) AS number, min(billed) <> max(billed) AS other "
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
    """`ours` if a row may belong to the stack, `nobody` if nothing identifies its owner, else `others`."""
    values = [f"({one})::INT" for one in _contains("tags", wanted.values)]
    ours = ["lower(resource) IN (SELECT unnest($ids::VARCHAR[]))", *_contains("tags", wanted.words)]
    ours += [f"{' + '.join(values)} >= {wanted.enough}"] if values else []
    others = " OR ".join(["category <> 'Usage'", *_contains("lower(tags)", wanted.keys)])
    return f"CASE WHEN {' OR '.join(ours)} THEN 'ours' WHEN {others} THEN 'others' ELSE 'nobody' END"


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
        "CREATE TEMP TABLE charges AS SELECT *, whose = 'ours' OR (whose = 'nobody' AND "
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
