"""Which of several sources of one price counts, and what is kept of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.cost.prices import PriceRow

Key = tuple[str, ...]
_ALIKE: Final = Decimal("0.001")
"""Share by which prices that agree may differ: the decimals that a source keeps."""
_TRUST: Final = {"official": 2, "computed": 1, "third-party": 0}


def key_of(row: PriceRow) -> Key:
    """What a price is of; its tiers are rows of one key."""
    return row.provider, row.region, row.sku, row.unit, row.purchase, row.term


def choose(rows: Sequence[PriceRow], stated: Mapping[str, bool]) -> list[PriceRow]:
    """The rows of one key that stay: those of the source that counts, and second opinions that differ from it.

    More tiers before fewer, an official source before others, one of a later month before an earlier. A source under a
    stated licence stands for one without where both say the same. Of spot prices one stays.
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
    """A source without the place in it; of two rows of one document the one that names its place stays."""
    return row.source.partition("#")[0]


def _rank(rows: Sequence[PriceRow]) -> tuple[int, int, str]:
    first = rows[0]
    return len(rows), _TRUST.get(first.basis, 0), first.as_of[: len("2026-10")]


def _alike(some: Iterable[PriceRow], others: Iterable[PriceRow]) -> bool:
    """Whether the tiers that both have cost the same."""
    there = {row.tier: row.usd_per_unit for row in others}
    return all(abs(row.usd_per_unit / there[row.tier] - 1) <= _ALIKE for row in some if there.get(row.tier))


def _opinion(row: PriceRow, best: Sequence[PriceRow]) -> PriceRow:
    said = f"note=alt; disagrees with {best[0].usd_per_unit:f} of {best[0].as_of}"
    note = row.note.partition(": ")[2] if row.tier else row.note
    return replace(row, note=f"{said}; {note}" if note else said)
