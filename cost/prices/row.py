"""One row of the price book, and its confidence."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final, Literal

Basis = Literal["official", "computed", "third-party", "own"]
"""Origin of a row: an official price list or a mirror of one, a sum of official parts, a third party's figure, the
user."""

Purchase = Literal[
    "on_demand", "spot", "reserved", "savings_plan", "instance_savings_plan", "capacity_block", "flex_start",
    "dws_calendar",
]  # fmt: skip
"""Purchase options."""

Confidence = Literal["high", "medium", "low"]

FRESH_DAYS: Final = 90
"""Days after which an official price counts as old."""

_WORLDWIDE: Final = re.compile(r"(?:^|; )(worldwide: .+)$")

_TIER = re.compile(r"^tier (\d+):")
_WIDE: Final = 70
_LONG: Final = re.compile(r"(https://[^/]+/|[^:]+:).+/([^/]+)")


def as_of_date(as_of: str) -> datetime.date | None:
    """The earliest day of `as_of` (`2026-10-10`, `2026-10` or `2026`); None for a year only.

    A month means its first day, so that a row never looks newer than it may be.
    """
    if len(as_of) == len("2026"):
        return None
    return datetime.date.fromisoformat(as_of if len(as_of) > len("2026-10") else f"{as_of}-01")


def is_fresh(as_of: str, today: datetime.date) -> bool:
    """Whether a price is at most 90 days old; a year only may be older."""
    read = as_of_date(as_of)
    return read is not None and (today - read).days <= FRESH_DAYS


def tier_of(note: str) -> int:
    """Tier number in the note of a graduated price, 0 without one."""
    match = _TIER.match(note)
    return int(match[1]) if match else 0


@dataclass(frozen=True, kw_only=True)
class PriceRow:
    """One published price.

    provider: `aws`, `gcp`, `azure`, ...
    region: the provider's region code, `global` if the price is the same everywhere, `us-east-1/use1-az2` if it is the
        price of one zone.
    sku: the item sold: a machine type, or a name of this price book such as `ebs-gp3`.
    kind: `compute`, `storage`, `control_plane`, ...
    unit: billing unit of `usd_per_unit`, e.g. `instance-hour`, `GiB-month`.
    purchase: `on_demand`, `spot`, `capacity_block`, `reserved`, ...
    term: empty, `1y` or `3y`; `1y-partial`, `1y-all` if half or all of the term is paid upfront.
    usd_per_unit: list price in USD before tax.
    as_of: day, month or year of the snapshot.
    source: document of the price and, after `#`, the place in it.
    note: `note=alt ...` marks a second opinion, `tier N: ...` a graduated price.
    basis: kind of the source (`sources.csv`), `own` for a user's row.
    """

    provider: str
    region: str
    sku: str
    kind: str
    unit: str
    purchase: str
    term: str
    usd_per_unit: Decimal
    as_of: str
    source: str
    note: str
    basis: Basis

    @property
    def alt(self) -> bool:
        """Whether the row is a second opinion, which never replaces the primary row of its key."""
        return self.note.startswith("note=alt")

    @property
    def document(self) -> str:
        """The source for reports: without the place in it; for a long path only its last part."""
        return _document(self.source)

    @property
    def zone(self) -> str:
        """The zone of a zonal price, empty for a regional one."""
        return self.region.partition("/")[2]

    @property
    def worldwide(self) -> str:
        """Evidence in the note that the price is the same everywhere; empty without any."""
        match = _WORLDWIDE.search(self.note)
        return match[1] if match else ""

    @property
    def tier(self) -> int:
        """Tier number of a graduated price, 0 if it is not graduated."""
        return tier_of(self.note)

    def confidence(self, today: datetime.date) -> Confidence:
        """high: the user's own, or official and at most 90 days old; medium: official and older; low: the rest, and
        prices assumed to be the same everywhere without evidence.
        """
        if self.basis == "own":
            return "high"
        undated = as_of_date(self.as_of) is None
        if self.alt or self.basis != "official" or undated or self.worldwide == "worldwide: not stated":
            return "low"
        return "high" if is_fresh(self.as_of, today) else "medium"


@cache
def _document(source: str) -> str:
    text = source.partition("#")[0]
    return _LONG.sub(r"\1.../\2", text) if len(text) > _WIDE else text
