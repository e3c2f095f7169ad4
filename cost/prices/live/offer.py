"""An offer of a live price list, in one form for all clouds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final

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
