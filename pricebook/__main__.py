"""Takes tables of price facts into the price book.

Rows that are there stay in their place, and a second run changes nothing. With --dry-run nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.cost.prices.files import sources
from gpucluster.cost.prices.table import write_rows
from pricebook.book import taken_over
from pricebook.facts import BadFacts, Fact, read_facts
from pricebook.rows import NotConverted, Target, row_of, targets


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0, or 2 if a row cannot be imported: then nothing is written."""
    parser = argparse.ArgumentParser(prog="python -m pricebook", description=__doc__)
    parser.add_argument("facts", nargs="+", type=Path, metavar="FACTS", help="CSV files; README.md has their columns")
    parser.add_argument("--book", type=Path, default=PriceBook().folder, help="another book than this repository's")
    parser.add_argument("--dry-run", action="store_true", help="print what would change; write nothing")
    chosen = parser.parse_args(arguments)
    try:
        changed = import_facts(chosen.facts, chosen.book, dry_run=chosen.dry_run)
    except BadFacts as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(changed) or "nothing changes")
    return 0


def import_facts(files: Sequence[Path], folder: Path, *, dry_run: bool = False) -> list[str]:
    """The changes, a line for each provider. Raises BadFacts with every row that cannot be imported."""
    problems: list[str] = []
    book = PriceBook(folder=folder)
    known = targets(row for provider in book.providers for row in book.rows(provider))
    rows: dict[str, list[PriceRow]] = {}
    for path in files:
        if not path.is_file():
            problems.append(f"{path}: no such file")
            continue
        for fact in read_facts(path, problems):
            try:
                rows.setdefault(fact.provider, []).append(_row(fact, book, known, folder))
            except NotConverted as error:
                problems.append(f"{fact.where}: {error}")
    if problems:
        raise BadFacts("\n".join(problems))
    stated = {one.starts_with: not one.licence.startswith("none stated") for one in sources(folder)}
    changed: list[str] = []
    for provider, new in rows.items():
        old = book.rows(provider)
        merged = taken_over(old, new, stated)
        if merged != list(old):
            gone, come = len(set(old) - set(merged)), len(set(merged) - set(old))
            changed.append(f"{provider}: {come:,} rows added, {gone:,} removed, {len(merged):,} in all")
            if not dry_run:
                write_rows(folder / f"{provider}.csv", merged)
    PriceBook.forget()
    return changed


def _row(fact: Fact, book: PriceBook, known: Mapping[tuple[str, str], Target], folder: Path) -> PriceRow:
    if fact.provider not in book.providers:
        raise NotConverted(f"provider is {fact.provider!r}; allowed: {', '.join(book.providers)}")
    return row_of(fact, known, folder)


if __name__ == "__main__":
    sys.exit(main())
