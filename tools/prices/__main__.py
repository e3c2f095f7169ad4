"""`python -m tools.prices FACTS...`"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.cost.prices.files import sources, write_rows
from tools.prices.facts import BadFacts, read_facts
from tools.prices.merge import merged
from tools.prices.rows import NotConverted, row_of, targets


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
