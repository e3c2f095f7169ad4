"""Queries for the live list of a cloud: one table each, and the machines of Google Cloud."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.cost.prices.live.google import machine_queries
from gpucluster.cost.prices.live.query import Condition, Part, Query

_CONDITION: Final = re.compile(r"^(?P<field>[a-z0-9]+)(?P<how>==|=~|!~)(?P<value>.+)$")


@cache
def queries(provider: str) -> tuple[Query, ...]:
    """All queries of one cloud."""
    found = _table(Path(__file__).with_name(f"{provider}.csv"))
    return found + machine_queries() if provider == "gcp" else found


def _table(path: Path) -> tuple[Query, ...]:
    """The queries of a table.

    `{n}` in it is `[A-Z0-9]+-`, the optional region prefix of AWS usage types; `per` may be a fraction, `1/8760`.
    """
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(_query(path, row) for row in csv.DictReader(file))


def _query(path: Path, row: Mapping[str, str]) -> Query:
    tiers = row["tiers"]
    if tiers not in ("one", "first", "all"):
        raise ValueError(f"{path.name}: tiers of {row['sku']} is {tiers!r}")
    conditions = tuple(condition(text.strip()) for text in row["match"].split("; "))
    return Query(
        sku=row["sku"], kind=row["kind"], unit=row["unit"], purchase=row["purchase"], term=row["term"],
        service=row["service"], tiers=tiers, parts=(Part(conditions),), source=row["source"],
        per=_number(row["per"]) if row["per"] else None,
    )  # fmt: skip


def _number(text: str) -> Decimal:
    above, _, below = text.partition("/")
    return Decimal(above) / Decimal(below or 1)


def condition(text: str) -> Condition:
    """A condition in the notation of the tables. Raises ValueError."""
    match = _CONDITION.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not a condition; write field==value, field=~expression or field!~expression")
    how = match["how"]
    if how == "==":
        return Condition(match["field"], "==", match["value"])
    return Condition(match["field"], "=~" if how == "=~" else "!~", match["value"].replace("{n}", "(?:[A-Z0-9]+-)?"))
