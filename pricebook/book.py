"""Adds rows to the files of the book, keeping the order of existing ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gpucluster.cost.prices import PriceRow
from pricebook.choice import Key, choose, key_of


def taken_over(old: Sequence[PriceRow], new: Iterable[PriceRow], stated: Mapping[str, bool]) -> list[PriceRow]:
    """The book's rows with the new ones: those of an existing key at its position, the others after them, by region and
    name.

    stated: prefix of a source -> whether its licence is stated.
    """
    touched: dict[Key, list[PriceRow]] = {}
    for row in new:
        touched.setdefault(key_of(row), []).append(row)
    there: dict[Key, list[PriceRow]] = {}
    for row in old:
        there.setdefault(key_of(row), []).append(row)
    merged: list[PriceRow] = []
    done: set[Key] = set()
    for row in old:
        key = key_of(row)
        if key not in touched:
            merged.append(row)
        elif key not in done:
            done.add(key)
            merged += _chosen([*there[key], *touched[key]], stated)
    behind = sorted(set(touched) - done, key=lambda key: (key[1], key[2], key[4], key[5], key[3]))
    for key in behind:
        merged += _chosen(touched[key], stated)
    return merged


def _chosen(rows: Sequence[PriceRow], stated: Mapping[str, bool]) -> list[PriceRow]:
    unique = list(dict.fromkeys(rows))
    known = {row.source: _stated(row.source, stated) for row in unique}
    return choose(unique, known)


def _stated(source: str, stated: Mapping[str, bool]) -> bool:
    starts = [start for start in stated if source.startswith(start)]
    return not starts or stated[max(starts, key=len)]
