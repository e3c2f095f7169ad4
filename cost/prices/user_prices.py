"""The user's own prices: a CSV file with the columns of the price book, whose rows take precedence over the book's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.core.program.values import MOST, BadValue, amount
from gpucluster.cost.prices.files import header_faults, read_table, row_faults, value_faults
from gpucluster.cost.prices.row import PriceRow, tier_of
from gpucluster.errors import InputError

PRICES_VARIABLE: Final = "GPUCLUSTER_PRICES"
"""The file's variable for previews, policy packs and commands."""

_NEEDED: Final = ("provider", "region", "sku", "unit", "usd_per_unit")
_SHOWN: Final = 20
"""Maximum of listed problems; a wrong file has one in each row."""


class BadPrices(InputError):
    """A file of own prices cannot be used; one line for each problem."""


@dataclass(frozen=True)
class Known:
    """Providers and units of the book, to detect typing errors."""

    providers: tuple[str, ...]
    units: tuple[str, ...]


def find_prices(given: str | None = None) -> Path | None:
    """The file `given`, else the one that GPUCLUSTER_PRICES names; None without either. BadPrices if it does not exist.

    A relative path in the variable is resolved in the working directory, then in each of its parents, since
    programs, policy packs and commands run in different directories of a project.
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
    """The rows of the file. BadPrices gives line, column, value and allowed values for every problem."""
    try:
        table = read_table(path)
    except OSError as error:
        raise BadPrices(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise BadPrices(f"{path} {error}") from None
    problems = [f"{path} line 1: {fault}" for fault in header_faults(table.header, _NEEDED)]
    rows: list[PriceRow] = []
    lines: dict[tuple[str, ...], int] = {}
    for line, values in table.rows if not problems else ():
        text = {name: value.strip() for name, value in zip(table.header, values, strict=False)}
        found = list(row_faults(table.header, values)) or list(_faults(text, known))
        problems += [f"{path} line {line}: {fault}" for fault in found]
        if found:
            continue
        row = _row(path, line, text)
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


def _faults(row: Mapping[str, str], known: Known) -> Iterator[str]:
    """Problems of one row: column, value, allowed values."""
    yield from value_faults(row, _NEEDED)
    for name, allowed in (("provider", known.providers), ("unit", known.units)):
        if row[name] and row[name] not in allowed:
            yield f"{name} is {row[name]!r}; allowed: {', '.join(allowed)}"
    if row["usd_per_unit"] and _amount(row["usd_per_unit"]) is None:
        yield f"usd_per_unit is {row['usd_per_unit']!r}; allowed: a number from 0 to {MOST:,}, such as 61.25"
    note = row.get("note", "")
    if note.startswith("note=alt") or tier_of(note):
        yield f"note is {note!r}; graduated prices and second opinions belong to the book: give the one price you pay"


def _amount(text: str) -> Decimal | None:
    try:
        return amount(text, "")
    except BadValue:
        return None


def _row(path: Path, line: int, text: Mapping[str, str]) -> PriceRow:
    source = f"your price, {path.name} line {line}"
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
        source=f"{source}: {text['source']}" if text.get("source") else source,
        note=text.get("note", ""),
        basis="own",
    )
