"""Price facts: reads tables of a public list, and converts each fact to a row of the book."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.cost.prices import PriceRow
from gpucluster.cost.prices.files import sources
from gpucluster.cost.prices.row import Basis

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


_HERE: Final = Path(__file__).parent
_PLACES: Final = {True: Decimal("1e-6"), False: Decimal("1e-12")}
"""Decimals kept of a price from 1 USD, and below it."""
_TIER: Final = re.compile(r"tier (\d+): ([^;]*)")
_SPAN: Final = re.compile(r"([\d,]+)-([\d,]+) (TiB|MiB)(.*)")
_OVER: Final = re.compile(r"over ([\d,]+) TiB")
_ALL_UPFRONT: Final = "jimgarrett123/rosa-calculator@"
"""Its file has "1y" for prices that its price/prices-ec2.py reads only under All Upfront: whole dollars a year."""
_LOCAL_ZONE: Final = re.compile(r"local zone", re.IGNORECASE)


class NotConverted(Exception):
    """Why a fact cannot become a row."""


@dataclass(frozen=True)
class Target:
    """The book's name of an item."""

    sku: str
    kind: str
    unit: str
    plus: Decimal = Decimal(0)


def targets(rows: Iterable[PriceRow]) -> Mapping[tuple[str, str], Target]:
    """(provider, SKU) -> its names in the existing book, by its first on-demand row."""
    found: dict[tuple[str, str], Target] = {}
    for row in sorted(rows, key=lambda row: row.purchase != "on_demand"):
        found.setdefault((row.provider, row.sku), Target(row.sku, row.kind, row.unit))
    return found


def row_of(fact: Fact, known: Mapping[tuple[str, str], Target], folder: Path) -> PriceRow:
    """The row of a fact. Raises NotConverted."""
    target = _target(fact, known)
    basis: Basis | None = next(
        (
            one.basis
            for one in sources(folder)
            if one.provider in ("", fact.provider) and fact.source.startswith(one.starts_with)
        ),
        None,
    )
    if basis is None:
        raise NotConverted(f"source {fact.source!r} has no line in sources.csv; add one")
    times, by = _factor(fact, target.unit)
    usd = fact.price * times / by + target.plus
    usd = usd.quantize(_PLACES[usd >= 1]).normalize()
    return PriceRow(
        provider=fact.provider, region=fact.region, sku=target.sku, kind=target.kind, unit=target.unit,
        purchase=fact.purchase, term=_term(fact), usd_per_unit=Decimal(f"{usd:f}"), as_of=fact.as_of,
        source=fact.source, basis=basis,
        note="; ".join(filter(None, [_tier(fact.note), _zone(fact), _sum(fact, times, by, target.plus)])),
    )  # fmt: skip


def _term(fact: Fact) -> str:
    all_upfront = fact.term == "1y" and fact.source.startswith(_ALL_UPFRONT)
    return "1y-all" if all_upfront else fact.term


def _target(fact: Fact, known: Mapping[tuple[str, str], Target]) -> Target:
    fitting = (one for one in _items() if one["provider"] == fact.provider and fnmatchcase(fact.sku, one["sku"]))
    item = next(fitting, dict[str, str]())
    name = item.get("as") or fact.sku
    plus = Decimal(item.get("plus") or 0)
    there = known.get((fact.provider, name))
    if there is not None:
        return Target(name, there.kind, there.unit, plus)
    unit = item.get("unit") or next((one["to"] for one in _units() if one["unit"] == fact.unit), fact.unit)
    if not item:
        raise NotConverted(f"sku {fact.sku!r} is new; add it to items.csv")
    return Target(name, item["kind"], unit, plus)


def _factor(fact: Fact, unit: str) -> tuple[Decimal, Decimal]:
    if fact.unit == unit:
        return Decimal(1), Decimal(1)
    for one in _units():
        if one["to"] == unit and one["unit"] in (fact.unit, f"{fact.unit} {fact.term}"):
            return Decimal(one["times"]), Decimal(one["by"])
    raise NotConverted(f"unit is {fact.unit!r}, the book has {fact.sku} per {unit}; add the conversion to units.csv")


def _tier(note: str) -> str:
    """The tier in the format of the book: `tier 2: next 9 TB/month`."""
    match = _TIER.search(note)
    if match is None:
        return ""
    span, words = _SPAN.fullmatch(match[2]), match[2]
    if span is not None:
        start, end = (int(amount.replace(",", "")) for amount in span.group(1, 2))
        words = f"{'next' if start else 'first'} {end - start:,} {'TB' if span[3] == 'TiB' else span[3]}/month"
    words = _OVER.sub(r"over \1 TB", words)
    if re.search(r" [TP]B$", words):
        words = f"{words}/month"
    return f"tier {match[1]}: {words}"


def _zone(fact: Fact) -> str:
    return "Local Zone" if "/" in fact.region and _LOCAL_ZONE.search(fact.note) else ""


def _sum(fact: Fact, times: Decimal, by: Decimal, plus: Decimal) -> str:
    """How the price was converted, if it differs from the number in the source."""
    if times == by and not plus:
        return ""
    factor = f" x {times}" if times != 1 else ""
    share = f" / {by}" if by != 1 else ""
    return f"{fact.price:f} per {fact.unit}{factor}{share}{f' + {plus}' if plus else ''}"


@cache
def _units() -> list[dict[str, str]]:
    return _read("units.csv")


@cache
def _items() -> list[dict[str, str]]:
    return _read("items.csv")


def _read(name: str) -> list[dict[str, str]]:
    with (_HERE / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))
