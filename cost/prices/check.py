"""Tests the price book: duplicates, old prices, disagreeing sources, prices that belong to another item, and missing
prices of H100 machines.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations
from statistics import median
from typing import Final, Literal

from gpucluster.core.catalog.machines import machines, sold
from gpucluster.cost.prices.families import Family, family_of
from gpucluster.cost.prices.row import FRESH_DAYS, PriceRow, as_of_date

Kind = Literal["duplicate", "value", "date", "age", "disagreement", "outlier", "size", "missing"]

_APART: Final = Decimal("0.02")
"""Share by which two sources of one price may differ by rounding."""

_OLD_DAYS: Final = 365
"""Age in days from which the price of an H100 machine is reported: list prices of GPUs were cut within such a time
(p5.48xlarge by 44 % in June 2025)."""

_TIMES: Final = 2
"""Factor by which a price may differ from the median of all regions, up or down: regions seldom differ more."""

_WRONG_TIMES: Final = 3
"""Factor between two regions from which the price of a machine, but for spot, is that of another item: the largest in
the book is 2.1 (2026-11-28)."""

_EXPLAINED: Final = ("STALE", "WRONG", "disagrees")
"""Words in a second opinion's note for an explained difference."""

_Key = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding about the data. matters: whether it can make a total wrong; the others are informational."""

    kind: Kind
    what: str
    matters: bool


def check_prices(rows: Sequence[PriceRow], today: datetime.date) -> tuple[Finding, ...]:
    """All findings, those that matter first. rows: of all providers. today: the date for judging ages."""
    checks: tuple[Callable[[Sequence[PriceRow], datetime.date], Iterator[Finding]], ...] = (
        _duplicates, _values, _dates, _ages, _disagreements, _outliers, _sizes, _missing,
    )  # fmt: skip
    found = [finding for check in checks for finding in check(rows, today)]
    return tuple(sorted(found, key=lambda finding: not finding.matters))


def _key(row: PriceRow) -> _Key:
    return row.provider, row.region, row.sku, row.unit, row.purchase, row.term


def _shown(row: PriceRow) -> str:
    term = f" {row.term}" if row.term else ""
    return f"{row.provider} {row.region} {row.sku} per {row.unit}, {row.purchase}{term}"


def _duplicates(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    """Several primary rows of one key and tier: their order would decide which one counts."""
    del today
    first: dict[tuple[_Key, int], PriceRow] = {}
    counts = Counter((_key(row), row.tier) for row in rows if not row.alt)
    for row in rows:
        place = (_key(row), row.tier)
        if not row.alt and counts[place] > 1 and place not in first:
            first[place] = row
            tier = f", tier {row.tier}" if row.tier else ""
            yield Finding("duplicate", f"{_shown(row)}{tier}: {counts[place]} rows that are not second opinions", True)


def _values(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    """Invalid prices; the first tier of a graduated price may be free."""
    del today
    for row in rows:
        if row.usd_per_unit < 0 or (row.usd_per_unit == 0 and not row.note.startswith("tier 0:")):
            yield Finding("value", f"{_shown(row)}: ${row.usd_per_unit:f} is not above zero", True)


def _dates(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    for row in rows:
        try:
            day = as_of_date(row.as_of) or datetime.date(int(row.as_of), 1, 1)
        except ValueError:
            yield Finding("date", f"{_shown(row)}: as_of {row.as_of!r} is no day, month or year", True)
        else:
            if day > today:
                yield Finding("date", f"{_shown(row)}: as_of {row.as_of} is in the future", True)


def _age(row: PriceRow, today: datetime.date) -> int | None:
    """Age of a price in days; None if its date has no month."""
    try:
        day = as_of_date(row.as_of)
    except ValueError:
        return None
    return None if day is None else (today - day).days


def _ages(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    """On-demand prices of H100 machines that are over a year old, and each provider's number of old official prices.

    Neither matters: otherwise a pipeline would fail by age only, and reports give old prices less confidence.
    """
    for row in rows:
        age = _age(row, today)
        decides = row.sku in _h100(row.provider) and row.purchase == "on_demand" and not row.alt and not row.zone
        if decides and age is not None and age > _OLD_DAYS:
            yield Finding("age", f"{_shown(row)}: {age:,} days old ({row.as_of})", False)
    for provider in sorted({row.provider for row in rows}):
        official = [row for row in rows if row.provider == provider and row.basis == "official" and not row.alt]
        ages = [age for row in official if (age := _age(row, today)) is not None]
        old = [age for age in ages if age > FRESH_DAYS]
        if old:
            oldest = f"the oldest {max(old):,}"
            text = f"{provider}: {len(old)} of {len(official)} official prices are over {FRESH_DAYS} days old, {oldest}"
            yield Finding("age", text, False)


def _disagreements(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    """Second opinions that differ by more than 2 %. Spot prices move, and the note explains some differences: neither
    makes a total wrong."""
    del today
    primary = {_key(row): row for row in reversed(rows) if not row.alt and row.tier in (0, 1)}
    for row in rows:
        own = primary.get(_key(row))
        if not row.alt or own is None or not own.usd_per_unit:
            continue
        apart = row.usd_per_unit / own.usd_per_unit - 1
        if abs(apart) > _APART:
            known = row.purchase == "spot" or any(word in row.note for word in _EXPLAINED)
            text = (
                f"{_shown(row)}: ${own.usd_per_unit:f} ({own.as_of}, {own.basis}) against ${row.usd_per_unit:f} "
                f"({row.as_of}, {row.basis}), {apart:+.1%}"
            )
            yield Finding("disagreement", text, not known)


def _outliers(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    """Prices far from those of other regions, which may be real; and purchase options that cost more than on-demand in
    the same place: no cloud sells those, so one of the two prices belongs to another item."""
    del today
    alike: dict[tuple[str, ...], list[PriceRow]] = {}
    on_demand: dict[tuple[str, ...], PriceRow] = {}
    for row in rows:
        if row.alt or row.tier > 1 or row.usd_per_unit <= 0:
            continue
        alike.setdefault((row.provider, row.sku, row.unit, row.purchase, row.term), []).append(row)
        if row.purchase == "on_demand":
            on_demand[row.provider, row.region, row.sku, row.unit] = row
    for found in alike.values():
        least, most = (pick(found, key=lambda row: row.usd_per_unit) for pick in (min, max))
        fixed = most.unit == "instance-hour" and most.purchase != "spot"
        if fixed and most.usd_per_unit > _WRONG_TIMES * least.usd_per_unit:
            text = f"{_shown(most)}: ${most.usd_per_unit:f}, in {least.region} it is ${least.usd_per_unit:f}"
            yield Finding("outlier", text, True)
        middle = median(row.usd_per_unit for row in found)
        for row in found:
            if len(found) > 2 and not middle / _TIMES <= row.usd_per_unit <= middle * _TIMES:
                text = f"{_shown(row)}: ${row.usd_per_unit:f}, the median of {len(found)} regions is ${middle:f}"
                yield Finding("outlier", text, False)
            plain = on_demand.get((row.provider, row.region, row.sku, row.unit))
            if plain is not None and row.usd_per_unit > plain.usd_per_unit:
                text = f"{_shown(row)}: ${row.usd_per_unit:f}, on demand it is ${plain.usd_per_unit:f}"
                yield Finding("outlier", text, True)


def _sizes(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    """Machines that cost more than a larger one of their family: one of the two has the price of another item, such as
    that of Windows."""
    del today
    families: dict[tuple[str, ...], list[tuple[Family, PriceRow]]] = {}
    for row in rows:
        if not row.alt and row.unit == "instance-hour" and (family := family_of(row.sku)) is not None:
            place = (row.provider, row.region, family.name, row.purchase, row.term)
            families.setdefault(place, []).append((family, row))
    for found in families.values():
        for (family, row), (other, larger) in permutations(found, 2):
            if other.ratio(family) is not None and row.usd_per_unit > larger.usd_per_unit:
                text = f"{_shown(row)}: ${row.usd_per_unit:f}, {larger.sku} is ${larger.usd_per_unit:f}"
                yield Finding("size", text, True)


def _missing(rows: Sequence[PriceRow], today: datetime.date) -> Iterator[Finding]:
    """H100 machines without any price, and those without one in single regions, by region."""
    del today
    for provider in sorted({machine.cloud for machine in machines().values()}):
        shapes = _h100(provider)
        regions: dict[str, set[str]] = {}
        for row in rows:
            if row.provider == provider and row.sku in shapes and not row.alt and not row.zone:
                regions.setdefault(row.region, set()).add(row.sku)
        nowhere = [shape for shape in shapes if not any(shape in found for found in regions.values())]
        for shape in nowhere:
            yield Finding("missing", f"{provider} {shape}: no price in any region", True)
        for region in sorted(regions):
            absent = [shape for shape in shapes if shape not in regions[region] and shape not in nowhere]
            if absent:
                yield Finding("missing", f"{provider} {region}: no price of {', '.join(absent)}", False)


def _h100(provider: str) -> list[str]:
    """H100 machines of a cloud for which it has a price list."""
    found = (name for name, machine in machines().items() if (machine.cloud, machine.model) == (provider, "h100"))
    return [name for name in found if sold(name, "on_demand") != "unlisted"]
