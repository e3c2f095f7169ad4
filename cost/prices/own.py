"""Prices of the user's own: a CSV file with the columns of the price book, whose rows go before those of the book."""

from __future__ import annotations

import csv
import datetime
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Final, get_args

from cost.prices.row import PriceRow, Purchase, as_of_date, tier_of

__all__ = ["PRICES_VARIABLE", "BadPrices", "Known", "find_prices", "read_prices"]

PRICES_VARIABLE: Final = "GPUCLUSTER_PRICES"
"""Names the file for previews, policy packs and commands alike."""

_NEEDED: Final = ("provider", "region", "sku", "unit", "usd_per_unit")
_COLUMNS: Final = (
    "provider", "region", "sku", "kind", "unit", "purchase", "term", "usd_per_unit", "as_of", "source", "note",
)  # fmt: skip
_WITH_TERM: Final = ("reserved", "savings_plan")
_TERMS: Final = ("1y", "1y-partial", "1y-all", "3y", "3y-partial", "3y-all")
_SHOWN: Final = 20
"""Problems that are listed; a wrong file has one in each row."""


class BadPrices(Exception):
    """A file of own prices cannot be used; one line for each thing that is wrong in it."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the book knows, so that a typing error is found: its providers and its units."""

    providers: tuple[str, ...]
    units: tuple[str, ...]


def find_prices(given: str | None = None) -> Path | None:
    """The file `given`, else the one that GPUCLUSTER_PRICES names; None without either. BadPrices when it is not there.

    A relative path of the variable is looked for in the working folder and then in each folder above it, since
    programs, policy packs and commands run in different folders of a project.
    """
    if given is not None:
        return _existing(Path(given), given, "--prices")
    named = os.environ.get(PRICES_VARIABLE, "").strip()
    if not named:
        return None
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / named).is_file():
            return folder / named
    return _existing(Path(named), named, PRICES_VARIABLE)


def _existing(path: Path, named: str, what: str) -> Path:
    if not path.is_file():
        raise BadPrices(
            f"{what}: {named!r} is not a file; give a CSV file of prices, as cost/prices/README.md describes"
        )
    return path


@cache
def read_prices(path: Path, known: Known) -> tuple[PriceRow, ...]:
    """The rows of the file. BadPrices names line, column, value and what is allowed, for everything that is wrong."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, restkey="", restval=None)
            header = list(reader.fieldnames or ())
            problems = list(_header_problems(path, header))
            records = [] if problems else [(reader.line_num, record) for record in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadPrices(f"{path} cannot be read as CSV in UTF-8: {error}") from None
    rows: list[PriceRow] = []
    lines: dict[tuple[str, ...], int] = {}
    for line, record in records:
        found = [f"{path} line {line}: {problem}" for problem in _problems(record, known)]
        problems += found
        if found:
            continue
        row = _row(path, line, record)
        key = (row.provider, row.region, row.sku, row.purchase, row.term, row.unit)
        if key in lines:
            shown = " ".join(filter(None, key))
            problems.append(f"{path} line {line}: the same as line {lines[key]} ({shown}); keep one of them")
        lines.setdefault(key, line)
        rows.append(row)
    if not problems and not rows:
        problems.append(f"{path} has no rows; give one for each price, under {','.join(_NEEDED)}")
    if problems:
        more = len(problems) - _SHOWN
        raise BadPrices("\n".join([*problems[:_SHOWN], *([f"{path}: and {more} more like these"] if more > 0 else [])]))
    return tuple(rows)


def _header_problems(path: Path, header: list[str]) -> Iterator[str]:
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        yield f"{path} line 1: no column {', '.join(missing)}; write at least {','.join(_NEEDED)}"
    for name in header:
        if name not in _COLUMNS:
            yield f"{path} line 1: column {name!r} is not known; allowed: {', '.join(_COLUMNS)}"
    for name in dict.fromkeys(name for name in header if header.count(name) > 1):
        yield f"{path} line 1: column {name!r} comes twice; keep one of them"


def _problems(record: Mapping[str, str | list[str] | None], known: Known) -> Iterator[str]:
    """What is wrong with one row: column, value, what is allowed."""
    if "" in record:
        yield f"more values than columns: {record['']!r} is left over; put a text with a comma in quotes"
        return
    if any(value is None for value in record.values()):
        yield "fewer values than columns; leave a value empty rather than out"
        return
    text = {name: str(value).strip() for name, value in record.items()}
    for name in _NEEDED:
        if not text[name]:
            yield f"{name} is empty; write a value"
    for name, allowed in (("provider", known.providers), ("unit", known.units)):
        if text[name] and text[name] not in allowed:
            yield f"{name} is {text[name]!r}; allowed: {', '.join(allowed)}"
    purchase, term = text.get("purchase", "") or "on_demand", text.get("term", "")
    if purchase not in get_args(Purchase):
        yield f"purchase is {purchase!r}; allowed: {', '.join(get_args(Purchase))}"
    elif purchase in _WITH_TERM and term not in _TERMS:
        yield f"term is {term!r}; allowed for {purchase}: {', '.join(_TERMS)}"
    elif purchase not in _WITH_TERM and term:
        yield f"term is {term!r}; it stands empty for {purchase}"
    if text["usd_per_unit"] and _amount(text["usd_per_unit"]) is None:
        yield f"usd_per_unit is {text['usd_per_unit']!r}; allowed: a number of 0 or more, such as 61.25"
    if (as_of := text.get("as_of", "")) and not _is_date(as_of):
        yield f"as_of is {as_of!r}; allowed: a day, month or year such as 2026-11-01, or nothing"
    note = text.get("note", "")
    if note.startswith("note=alt") or tier_of(note):
        yield f"note is {note!r}; graduated prices and second opinions belong to the book: give the one price you pay"


def _amount(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and amount >= 0 else None


def _is_date(text: str) -> bool:
    try:
        if as_of_date(text) is None:
            datetime.date(int(text), 1, 1)
    except ValueError:
        return False
    return True


def _row(path: Path, line: int, record: Mapping[str, str | list[str] | None]) -> PriceRow:
    text = {name: str(value or "").strip() for name, value in record.items()}
    said = f"your price, {path.name} line {line}"
    return PriceRow(
        provider=text["provider"],
        region=text["region"],
        sku=text["sku"],
        kind=text.get("kind", ""),
        unit=text["unit"],
        purchase=text.get("purchase", "") or "on_demand",
        term=text.get("term", ""),
        usd_per_unit=Decimal(text["usd_per_unit"]),
        as_of=text.get("as_of", ""),
        source=f"{said}: {text['source']}" if text.get("source") else said,
        note=text.get("note", ""),
        basis="own",
    )
