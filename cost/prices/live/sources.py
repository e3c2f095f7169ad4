"""The live lists of the three clouds behind one interface, and the queries for each."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.cost.prices.live import aws, azure, google
from gpucluster.cost.prices.live.google import machine_queries
from gpucluster.cost.prices.live.query import Condition, Offer, Part, Query
from gpucluster.cost.prices.live.web import Web

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


ADDRESSES: Mapping[str, str] = {
    "aws": aws.ADDRESS,
    "azure": azure.ADDRESS,
    "gcp": google.ADDRESS,
}
"""Address of each list, unless a mirror is used."""


@dataclass
class Sources:
    """Queries the list of a cloud.

    today: date for prices without one in the list, ISO. google_key: API key. products: AWS's query API, used in place
    of the bulk files; savings plans and spot prices exist only in files, which a mirror keeps side by side.
    """

    web: Web
    today: str
    google_key: str = field(default="", repr=False)
    products: aws.Products | None = None
    addresses: Mapping[str, str] = field(default_factory=lambda: ADDRESSES)

    def __call__(
        self, provider: str, service: str, regions: Sequence[str], asked: Sequence[Query]
    ) -> Iterable[tuple[str, Sequence[Offer]]]:
        """(region, offers there). Raises SourceFailed."""
        address = self.addresses[provider].rstrip("/")
        if provider == "azure":
            return azure.offers(self.web, service, regions, asked, self.today, address)
        if provider == "gcp":
            return google.offers(self.web, service, regions, self.today, self.google_key, address)
        if service == aws.SPOT_SERVICE:
            mirror = address != aws.ADDRESS
            return aws.spot_offers(self.web, regions, self.today, address if mirror else aws.SPOT_ADDRESS)
        if self.products is not None and service != aws.SAVINGS_PLANS:
            return aws.product_offers(self.products, service, regions, asked, self.web.say)
        return aws.file_offers(self.web, service, regions, asked, address)
