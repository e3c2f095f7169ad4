"""Adds rows to a file of the book: which sources of a price are kept, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.cost.prices import PriceRow

_Key = tuple[str, ...]
_ALIKE: Final = Decimal("0.001")
"""Relative difference up to which prices agree: rounding of a source."""
_TRUST: Final = {"official": 2, "computed": 1, "third-party": 0}


def merged(old: Sequence[PriceRow], new: Iterable[PriceRow], stated: Mapping[str, bool]) -> list[PriceRow]:
    """The book's rows with the new ones: those of an existing key at its position, the others after them, by region and
    name.

    stated: prefix of a source -> whether its licence is stated.
    """
    came: dict[_Key, list[PriceRow]] = {}
    for row in new:
        came.setdefault(_key(row), []).append(row)
    found: dict[_Key, list[PriceRow]] = {}
    for row in old:
        found.setdefault(_key(row), []).append(row)
    rows: list[PriceRow] = []
    for row in old:
        key = _key(row)
        if key not in came:
            rows.append(row)
        elif row is found[key][0]:
            rows += _choose([*found[key], *came[key]], stated)
    behind = sorted(set(came) - set(found), key=lambda key: (key[1], key[2], key[4], key[5], key[3]))
    return [*rows, *(row for key in behind for row in _choose(came[key], stated))]


def _key(row: PriceRow) -> _Key:
    """The key of a price; its tiers are rows of one key."""
    return row.provider, row.region, row.sku, row.unit, row.purchase, row.term


def _choose(given: Iterable[PriceRow], stated: Mapping[str, bool]) -> list[PriceRow]:
    """The rows of one key to keep: those of the primary source, and second opinions that differ from it.

    More tiers take precedence over fewer, an official source over others, a later month over an earlier one. A source
    with a stated licence replaces an equal one without. Of spot prices one is kept.
    """
    rows = list(dict.fromkeys(given))
    opinions = [row for row in rows if row.alt]
    sets: dict[tuple[str, str], dict[int, PriceRow]] = {}
    for row in rows:
        if not row.alt:
            # Of two rows of one document, the one with a place in it is kept.
            tiers = sets.setdefault((row.source.partition("#")[0], row.as_of), {})
            tiers[row.tier] = max(tiers.get(row.tier, row), row, key=lambda row: len(row.source))
    if not sets:
        return opinions
    ranked = sorted((list(tiers.values()) for tiers in sets.values()), key=_rank, reverse=True)
    best = ranked[0]
    if not _stated(best, stated):
        best = next((other for other in ranked[1:] if _stated(other, stated) and _alike(other, best)), best)
    others = (one for one in ranked if one is not best and best[0].purchase != "spot" and not _alike(one, best))
    differing = [_opinion(row, best) for one in others for row in one if row.tier in (0, 1)]
    kept = sorted(best, key=lambda row: row.tier)
    return [*kept, *differing, *(row for row in opinions if row not in differing)]


def _stated(rows: Sequence[PriceRow], stated: Mapping[str, bool]) -> bool:
    starts = [start for start in stated if rows[0].source.startswith(start)]
    return not starts or stated[max(starts, key=len)]


def _rank(rows: Sequence[PriceRow]) -> tuple[int, int, str]:
    first = rows[0]
    return len(rows), _TRUST.get(first.basis, 0), first.as_of[: len("2026-10")]


def _alike(some: Iterable[PriceRow], others: Iterable[PriceRow]) -> bool:
    """Whether the common tiers have the same price."""
    known = {row.tier: row.usd_per_unit for row in others}
    return all(abs(row.usd_per_unit / known[row.tier] - 1) <= _ALIKE for row in some if known.get(row.tier))


def _opinion(row: PriceRow, best: Sequence[PriceRow]) -> PriceRow:
    said = f"note=alt; disagrees with {best[0].usd_per_unit:f} of {best[0].as_of}"
    note = row.note.partition(": ")[2] if row.tier else row.note
    return replace(row, note=f"{said}; {note}" if note else said)
