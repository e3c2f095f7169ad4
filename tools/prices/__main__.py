"""`python -m tools.prices FACTS...`: adds the prices of public lists to the book."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

import click

from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.cost.prices.files import sources, write_rows
from tools.prices.facts import BadFacts, NotConverted, read_facts, row_of, targets

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
    opinion = f"note=alt; disagrees with {best[0].usd_per_unit:f} of {best[0].as_of}"
    note = row.note.partition(": ")[2] if row.tier else row.note
    return replace(row, note=f"{opinion}; {note}" if note else opinion)


def import_facts(files: Sequence[Path], folder: Path, *, dry_run: bool = False) -> Iterator[str]:
    """The changes, a line for each provider. Raises BadFacts with every row that cannot be imported."""
    problems: list[str] = []
    book = PriceBook(folder=folder)
    known = targets(row for provider in book.providers for row in book.rows(provider))
    came: dict[str, list[PriceRow]] = {provider: [] for provider in book.providers}
    for fact in (fact for path in files for fact in read_facts(path, problems)):
        try:
            if fact.provider not in came:
                raise NotConverted(f"provider is {fact.provider!r}; allowed: {', '.join(came)}")
            came[fact.provider].append(row_of(fact, known, folder))
        except NotConverted as error:
            problems.append(f"{fact.where}: {error}")
    if problems:
        raise BadFacts("\n".join(problems))
    stated = {one.starts_with: not one.licence.startswith("none stated") for one in sources(folder)}
    for provider, new in came.items():
        old = book.rows(provider)
        rows = merged(old, new, stated)
        if rows != list(old):
            gone, added = len(set(old) - set(rows)), len(set(rows) - set(old))
            if not dry_run:
                write_rows(folder / f"{provider}.csv", rows)
            yield f"{provider}: {added:,} rows added, {gone:,} removed, {len(rows):,} in all"
    PriceBook.forget()


@click.command()
@click.argument("facts", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--book", type=click.Path(path_type=Path), default=PriceBook().folder, help="Of another book.")
@click.option("--dry-run", is_flag=True, help="Print what would change; write nothing.")
def main(facts: tuple[Path, ...], book: Path, dry_run: bool) -> None:
    """Take tables of price facts into the price book; README.md has their columns.

    Rows that are there stay in their place, and a second run changes nothing. Exit code 2: a row cannot be imported;
    then nothing is written.
    """
    try:
        print("\n".join(import_facts(facts, book, dry_run=dry_run)) or "nothing changes")
    except BadFacts as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
