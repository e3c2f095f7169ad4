"""Data transfer: duration, and the cost of leaving a cloud."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.cost.prices import NotKnown, PriceBook, PriceRow
from gpucluster.cost.pricing.model import cents

__all__ = ["GIB_PER_GB", "Egress", "days_to_move", "egress_of", "flow_gigabytes"]


def days_to_move(terabytes: Decimal, gbps: Decimal) -> Decimal:
    """Days to transfer data on a dedicated, fully used line of `gbps` Gb/s."""
    return terabytes * 8000 / gbps / 86400


def flow_gigabytes(gbps: Decimal, days: Decimal) -> Decimal:
    """GB transferred by a line of `gbps` Gb/s in so many days, at its full rate."""
    return gbps / 8 * 86400 * days


GIB_PER_GB: Final = Decimal(10**9) / Decimal(2**30)

_GIB: Final = {"GB": Decimal(1), "TB": Decimal(1024)}
"""GB and TB of price lists count as GiB and 1,024 GiB, as everywhere in the price book."""
_AMOUNT: Final = r"([\d,.]+)\s*(GB|TB)"
_FIRST: Final = rf"^tier \d+: first {_AMOUNT}"
_NEXT: Final = rf"^tier \d+: next {_AMOUNT}"
_OVER: Final = rf"^tier \d+: (?:over|after the first) {_AMOUNT}"
_BETWEEN: Final = rf"^tier \d+: ([\d,.]+)\s*(GB|TB)? - {_AMOUNT}"

_Band = tuple[Decimal, Decimal | None]  # from GiB, to GiB or no end


@dataclass(frozen=True)
class Egress:
    """usd: of the priced part, to the cent. unpriced_gib: without a known band. bands: GiB, and their price."""

    usd: Decimal
    unpriced_gib: Decimal
    bands: tuple[tuple[Decimal, PriceRow], ...]

    @property
    def complete(self) -> bool:
        """Whether all of it is priced."""
        return not self.unpriced_gib


def egress_of(book: PriceBook, provider: str, region: str, gib: Decimal) -> Egress | NotKnown:
    """GiB sent from a region to the internet within one month."""
    found = book.lookup(provider, region, "internet-egress", unit="GiB")
    if isinstance(found, NotKnown):
        return found
    rows = found.tiers or (found.row,)
    if found.row.basis != "own":
        rows = (*(row for row in _free_tier(book, provider, region) if row not in rows), *rows)
    used: list[tuple[Decimal, PriceRow]] = []
    for row, (start, end) in zip(rows, _bands(rows), strict=True):
        inside = max((gib if end is None else min(gib, end)) - start, Decimal(0))
        if inside:
            used.append((inside, row))
    usd = sum((inside * row.usd_per_unit for inside, row in used), Decimal(0))
    return Egress(cents(usd), gib - sum((inside for inside, _ in used), Decimal(0)), tuple(used))


def _free_tier(book: PriceBook, provider: str, region: str) -> Iterator[PriceRow]:
    """A tier 0, which a graduated price omits."""
    return (row for row in book.of_thing(provider, region, "internet-egress") if row.note.startswith("tier 0:"))


def _bands(rows: Sequence[PriceRow]) -> Iterator[_Band]:
    """The bands in notes of the price book; a price without any is one band."""
    done = Decimal(0)
    for row in rows:
        start, end = _band(row.note, done)
        yield start, end
        done = start if end is None else end


def _band(note: str, done: Decimal) -> _Band:
    if found := re.match(_FIRST, note):
        return Decimal(0), _gib(found[1], found[2])
    if found := re.match(_NEXT, note):
        return done, done + _gib(found[1], found[2])
    if found := re.match(_OVER, note):
        return _gib(found[1], found[2]), None
    if found := re.match(_BETWEEN, note):
        return _gib(found[1], found[2] or found[4]), _gib(found[3], found[4])
    return done, None


def _gib(number: str, unit: str) -> Decimal:
    return Decimal(number.replace(",", "")) * _GIB[unit]
