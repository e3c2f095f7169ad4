"""An offer of a live price list, in one form for all clouds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Final, Literal

from gpucluster.cost.prices.live.web import SourceFailed


@dataclass(frozen=True, slots=True)
class Tier:
    """USD per live unit, from `start` live units per month."""

    start: Decimal
    usd: Decimal


@dataclass(frozen=True, slots=True)
class Offer:
    """One item of a live price list.

    id: as in the list. fields: its attributes; names as `plain` has them. unit: as in the list.
    tiers: ordered by start. as_of: its date in the list, ISO.
    """

    id: str
    fields: Mapping[str, str] = field(hash=False)
    unit: str
    tiers: tuple[Tier, ...]
    as_of: str


_FACTORS: Final[Mapping[str, Mapping[str, Decimal]]] = {
    "hour": dict.fromkeys(("hrs", "hour", "hours", "1 hour", "1/hour", "h"), Decimal(1)),
    "GiB-month": {
        "gb-mo": Decimal(1), "gb-month": Decimal(1), "1 gb/month": Decimal(1), "1 gib/month": Decimal(1),
        "giby.mo": Decimal(1), "1 gib/hour": Decimal(730), "1 gb/hour": Decimal(730), "giby.h": Decimal(730),
        "1 tib/month": 1 / Decimal(1024), "1 tib/hour": 730 / Decimal(1024),
    },
    "GiB": {"gb": Decimal(1), "1 gb": Decimal(1), "1 gib": Decimal(1), "giby": Decimal(1)},
    "IOPS-month": {"iops-mo": Decimal(1), "mo": Decimal(1), "h": Decimal(730)},
    "MiBps-month": {"mibps-mo": Decimal(1), "gibps-mo": 1 / Decimal(1024), "mo": Decimal(1), "h": Decimal(730)},
    "LCU-hour": {"lcu-hrs": Decimal(1)},
    "disk-month": {"1/month": Decimal(1)},
    "1M-samples": {"10m": 1 / Decimal(10)},
    "month": {"keys": Decimal(1), "months": Decimal(1)},
}  # fmt: skip
"""Unit of the book -> unit of a live list, lower case -> live units in one unit of the book. A month has 730 hours."""

_PARTS: Final[Mapping[str, Decimal]] = {
    **_FACTORS["hour"], "giby.h": Decimal(1), "giby.mo": 1 / Decimal(730), "gib-hour": Decimal(1),
}  # fmt: skip
"""The same for a machine hour, whose memory and disks are counted in GiB."""


def factor(unit: str, live: str) -> Decimal | None:
    """Factor from a price per live unit to one per `unit`; None if unknown."""
    if unit in ("instance-hour", "VM-hour"):
        return _PARTS.get(live.lower())
    return _FACTORS.get(unit, {}).get(live.lower())


def plain(name: str) -> str:
    """A field's name in lower case letters and digits: `Pre Installed S/W` and `preInstalledSw` are equal."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def amount(value: object, where: str) -> Decimal:
    """A number of a live list. Raises SourceFailed with `where`."""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = None
    if number is None or not number.is_finite() or number < 0:
        raise SourceFailed(f"{where} is {value!r}, expected a number of 0 or more; the shape of the list has changed")
    return number


_MANY: Final = "*"


class Doubt(Exception):
    """A live list does not answer a query with one price above zero; the message says what it has instead."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one field of an offer: equal to a value (`==`), or matching a regular expression as a whole (`=~`)
    or not."""

    field: str
    how: Literal["==", "=~", "!~"]
    value: str

    def holds(self, offer: Offer) -> bool:
        """Whether an offer meets it; a missing field is empty."""
        value = offer.fields.get(self.field, "")
        if self.how == "==":
            return value == self.value
        return (_compiled(self.value).fullmatch(value) is not None) == (self.how == "=~")

    def __str__(self) -> str:
        return f"{self.field}{self.how}{self.value}"


@dataclass(frozen=True, slots=True)
class Part:
    """One of the offers that make up a price, and how many of it are in one unit of the book."""

    conditions: tuple[Condition, ...]
    count: Decimal = Decimal(1)

    @property
    def exact(self) -> Mapping[str, str]:
        """Field -> value of the conditions that a server can filter by."""
        return {one.field: one.value for one in self.conditions if one.how == "=="}

    def matches(self, offer: Offer) -> bool:
        """Whether an offer matches it."""
        return all(condition.holds(offer) for condition in self.conditions)

    def __str__(self) -> str:
        return "; ".join(map(str, self.conditions))


@dataclass(frozen=True, slots=True)
class Query:
    """An item of the book and the offers that it maps to.

    sku: `*` is every machine type of the book, and within a longer one any text without a hyphen; in the conditions,
    `{sku}` is what it matched, `{region}` the region. kind: of the book's rows. service: the live list. tiers: `one` if
    the price must not be graduated, `first` if the first tier above zero counts, `all` if every tier is a row.
    per: units of the list in one unit of the book, None if the list's unit name determines it. source: origin of the
    conditions.
    """

    sku: str
    kind: str
    unit: str
    purchase: str
    term: str
    service: str
    tiers: Literal["one", "first", "all"]
    parts: tuple[Part, ...]
    source: str
    per: Decimal | None = None

    @property
    def is_of_machines(self) -> bool:
        """Whether it covers every machine type."""
        return self.sku == _MANY

    def names(self, sku: str) -> bool:
        """Whether it covers a SKU of the book."""
        return self.is_of_machines or _pattern(self.sku).fullmatch(sku) is not None

    def of(self, sku: str, region: str) -> Query:
        """The query for one SKU in one region."""
        match = None if self.is_of_machines else _pattern(self.sku).fullmatch(sku)
        name = match[1] if match is not None and match.groups() else sku
        words = {"{sku}": name, "{region}": region}

        def named(one: Condition) -> Condition:
            value = one.value
            for word, means in words.items():
                value = value.replace(word, means if one.how == "==" else re.escape(means))
            return one if value == one.value else replace(one, value=value)

        parts = tuple(replace(part, conditions=tuple(map(named, part.conditions))) for part in self.parts)
        return replace(self, sku=sku, parts=parts)


@dataclass(frozen=True, slots=True)
class Quote:
    """The price in a live list for a query, in the unit of the book.

    tiers: (start in units of the book, USD); one with start 0 if it is not graduated. offers: its origin.
    """

    tiers: tuple[tuple[Decimal, Decimal], ...]
    offers: tuple[Offer, ...]


@cache
def _pattern(sku: str) -> re.Pattern[str]:
    return re.compile(re.escape(sku).replace(r"\*", "([^-]+)"))


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def quoted(query: Query, offers: Iterable[Offer]) -> Quote | None:
    """The price of a query among the offers of its region; None without a match. Raises Doubt."""
    listed = list(offers)
    found = [[offer for offer in listed if part.matches(offer)] for part in query.parts]
    if not any(found):
        return None
    for one, matching in zip(query.parts, found, strict=True):
        if len(matching) != 1:
            raise Doubt(_how_many(one, matching))
    chosen: tuple[Offer, ...] = tuple(matching[0] for matching in found)
    part, offer = query.parts[0], found[0][0]
    if len(query.parts) > 1:
        usd = sum((one.count * _single(query, its) for one, its in zip(query.parts, chosen, strict=True)), Decimal(0))
        return Quote(((Decimal(0), usd),), chosen)
    if query.tiers == "all":
        times = _times(query, offer)
        return Quote(tuple((tier.start / times, tier.usd * times) for tier in _sound(query, offer)), chosen)
    return Quote(((Decimal(0), part.count * _single(query, offer)),), chosen)


def _how_many(part: Part, matching: Sequence[Offer]) -> str:
    if not matching:
        return f"no offer has {part}, though the other parts are there"
    some = ", ".join(f"{offer.id} at {_first(offer)} per {offer.unit}" for offer in matching[:3])
    return f"{len(matching)} offers match, expected one: {some}{', ...' if len(matching) > 3 else ''}"


def _first(offer: Offer) -> str:
    return f"${offer.tiers[0].usd:f}" if offer.tiers else "no price"


def _single(query: Query, offer: Offer) -> Decimal:
    """The single price of an offer per unit of the book."""
    tiers = _sound(query, offer)
    if len(tiers) > 1 and query.tiers == "one":
        raise Doubt(f"{offer.id} has {len(tiers)} tiers, expected one price")
    return next(tier.usd for tier in tiers if tier.usd) * _times(query, offer)


def _sound(query: Query, offer: Offer) -> tuple[Tier, ...]:
    if not offer.tiers:
        raise Doubt(f"{offer.id} has no price")
    if not any(tier.usd for tier in offer.tiers):
        raise Doubt(f"{offer.id} costs $0, which is not a price")
    if query.tiers == "all" and any(not tier.usd for tier in offer.tiers[1:]):
        raise Doubt(f"{offer.id} costs $0 above its first tier")
    return offer.tiers


def _times(query: Query, offer: Offer) -> Decimal:
    times = query.per or factor(query.unit, offer.unit)
    if times is None:
        raise Doubt(f"{offer.id} is sold per {offer.unit!r}, which is not known as a unit of {query.unit}")
    return times
