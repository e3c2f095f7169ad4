"""Selects the primary source of a price, and the second opinions to keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.cost.prices import PriceRow

Key = tuple[str, ...]
_ALIKE: Final = Decimal("0.001")
"""Relative difference up to which prices agree: rounding of a source."""
_TRUST: Final = {"official": 2, "computed": 1, "third-party": 0}


def key_of(row: PriceRow) -> Key:
    """The key of a price; its tiers are rows of one key."""
    return row.provider, row.region, row.sku, row.unit, row.purchase, row.term


def choose(rows: Sequence[PriceRow], stated: Mapping[str, bool]) -> list[PriceRow]:
    """The rows of one key to keep: those of the primary source, and second opinions that differ from it.

    More tiers take precedence over fewer, an official source over others, a later month over an earlier one. A source
    with a stated licence replaces an equal one without. Of spot prices one is kept.
    stated: whether the licence of a row's source is stated.
    """
    opinions = [row for row in rows if row.alt]
    sets: dict[tuple[str, str], dict[int, PriceRow]] = {}
    for row in rows:
        if not row.alt:
            tiers = sets.setdefault((_document(row), row.as_of), {})
            tiers[row.tier] = max(tiers.get(row.tier, row), row, key=lambda row: len(row.source))
    if not sets:
        return opinions
    ranked = sorted((list(tiers.values()) for tiers in sets.values()), key=_rank, reverse=True)
    best = ranked[0]
    for other in ranked[1:]:
        if not stated[best[0].source] and stated[other[0].source] and _alike(other, best):
            best = other
            break
    kept = sorted(best, key=lambda row: row.tier)
    others = (one for one in ranked if one is not best and best[0].purchase != "spot" and not _alike(one, best))
    differing = [_opinion(row, best) for one in others for row in one if row.tier in (0, 1)]
    return [*kept, *differing, *(row for row in opinions if row not in differing)]


def _document(row: PriceRow) -> str:
    """A source without the place in it; of two rows of one document the one with a place is kept."""
    return row.source.partition("#")[0]


def _rank(rows: Sequence[PriceRow]) -> tuple[int, int, str]:
    first = rows[0]
    return len(rows), _TRUST.get(first.basis, 0), first.as_of[: len("2026-10")]


def _alike(some: Iterable[PriceRow], others: Iterable[PriceRow]) -> bool:
    """Whether the common tiers have the same price."""
    there = {row.tier: row.usd_per_unit for row in others}
    return all(abs(row.usd_per_unit / there[row.tier] - 1) <= _ALIKE for row in some if there.get(row.tier))


def _opinion(row: PriceRow, best: Sequence[PriceRow]) -> PriceRow:
    said = f"note=alt; disagrees with {best[0].usd_per_unit:f} of {best[0].as_of}"
    note = row.note.partition(": ")[2] if row.tier else row.note
    return replace(row, note=f"{said}; {note}" if note else said)
