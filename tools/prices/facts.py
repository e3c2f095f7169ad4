"""Reads tables of price facts: a public list's price of one item in one place, in the unit of that list."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

COLUMNS: Final = (
    "provider", "region", "zone", "sku", "unit", "price_usd", "purchase", "term", "source", "row", "as_of", "licence",
    "note",
)  # fmt: skip
_MAY_BE_EMPTY: Final = ("zone", "term", "row", "note")
_SOURCE: Final = re.compile(r"([\w.-]+/[\w.-]+)@([0-9a-f]{40}):(\S.*)")
_SHORT: Final = 7


class BadFacts(Exception):
    """Rows that cannot be imported, one line for each: file, line, problem."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One row. where: file and line, for messages. price: USD per `unit`, the unit of the source."""

    where: str
    provider: str
    region: str
    sku: str
    unit: str
    price: Decimal
    purchase: str
    term: str
    source: str
    as_of: str
    note: str


def read_facts(path: Path, problems: list[str]) -> Iterator[Fact]:
    """The valid rows of a file; problems of the others are added to `problems`."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            problems.append(f"{path} line 1: columns are {reader.fieldnames}; write {','.join(COLUMNS)}")
            return
        for row in reader:
            where = f"{path} line {reader.line_num}"
            found = [*_faults(row)]
            problems += [f"{where}: {fault}" for fault in found]
            if not found:
                yield _fact(where, row)


def _faults(row: dict[str, str]) -> Iterator[str]:
    if len(row) > len(COLUMNS) or any(value is None for value in row.values()):  # pyright: ignore[reportUnnecessaryComparison]
        yield "another number of values than columns"
        return
    yield from (f"{name} is empty" for name in COLUMNS if name not in _MAY_BE_EMPTY and not row[name])
    if row["source"] and not _SOURCE.fullmatch(row["source"]):
        yield f"source is {row['source']!r}; write owner/repository@commit:path with all 40 digits of the commit"
    try:
        above = Decimal(row["price_usd"] or "1") > 0
    except InvalidOperation:
        above = False
    if not above:
        yield f"price_usd is {row['price_usd']!r}; write a number above 0"


def _fact(where: str, row: dict[str, str]) -> Fact:
    match = _SOURCE.fullmatch(row["source"])
    assert match is not None
    repository, commit, path = match.groups()
    row_of = f"#{row['row']}" if row["row"] else ""
    return Fact(
        where=where,
        provider=row["provider"],
        region=f"{row['region']}/{row['zone']}" if row["zone"] else row["region"],
        sku=row["sku"],
        unit=row["unit"],
        price=Decimal(row["price_usd"]),
        purchase=row["purchase"],
        term=row["term"],
        source=f"{repository}@{commit[:_SHORT]}:{path}{row_of}",
        as_of=row["as_of"],
        note=row["note"],
    )
