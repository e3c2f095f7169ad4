"""Writes prices into the files of the book: all of them or, on any error, none."""

from __future__ import annotations

import datetime
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from gpucluster.cost.prices.book import DamagedBook, PriceBook
from gpucluster.cost.prices.check import check_prices
from gpucluster.cost.prices.live.refresh import Answer
from gpucluster.cost.prices.row import PriceRow
from gpucluster.cost.prices.table import write_rows
from gpucluster.errors import Fault

_BAD: Final = ("duplicate", "value", "date")
"""Findings of the book's check that reject a new file."""


class NotWritten(Fault):
    """The book is unchanged; the message gives the reason."""


def write(folder: Path, answers: Iterable[Answer], today: datetime.date) -> list[Path]:
    """Replaces and adds the rows of the answers; returns the changed files. Raises NotWritten.

    New files are written beside the book, read back as a book, and only then replace the old ones.
    """
    book = PriceBook(today=today, folder=folder)
    found = list(answers)
    providers = dict.fromkeys(answer.wanted.provider for answer in found if answer.rows)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".refresh-") as made:
            new = Path(made)
            shutil.copyfile(folder / "sources.csv", new / "sources.csv")
            for provider in providers:
                rows = _merged(book.rows(provider), [answer for answer in found if answer.wanted.provider == provider])
                _check_kept(book.rows(provider), rows)
                write_rows(new / f"{provider}.csv", rows)
            _check(PriceBook(today=today, folder=new), today)
            written = [(new / f"{provider}.csv").replace(folder / f"{provider}.csv") for provider in providers]
    except OSError as error:
        raise NotWritten(f"{error.filename or folder}: {error.strerror}") from None
    PriceBook.forget()
    return written


def _check_kept(before: Sequence[PriceRow], after: Sequence[PriceRow]) -> None:
    """A refresh replaces prices and adds some: one that the book had never goes."""
    kept = {_priced(row) for row in after}
    gone = [" ".join(filter(None, _priced(row))) for row in before if _priced(row) not in kept]
    if gone:
        raise NotWritten(f"{len(gone)} prices of the book would be gone: {', '.join(dict.fromkeys(gone))}")


def _priced(row: PriceRow) -> tuple[str, str, str, str, str]:
    return row.region, row.sku, row.unit, row.purchase, row.term


def _check(book: PriceBook, today: datetime.date) -> None:
    try:
        rows = [row for provider in book.providers for row in book.rows(provider)]
    except DamagedBook as error:
        raise NotWritten(str(error)) from None
    wrong = [finding.what for finding in check_prices(rows, today) if finding.kind in _BAD]
    if wrong:
        raise NotWritten("\n".join(wrong))


def _merged(rows: Sequence[PriceRow], answers: Sequence[Answer]) -> list[PriceRow]:
    """New rows at the position of the first row that they replace, else at the end."""
    places = {row: answer for answer in answers if answer.rows for row in answer.wanted.rows}
    done: set[int] = set()
    merged: list[PriceRow] = []
    for row in rows:
        answer = places.get(row)
        if answer is None:
            merged.append(row)
        elif id(answer) not in done:
            done.add(id(answer))
            merged.extend(answer.rows)
    return merged + [row for answer in answers if not answer.wanted.rows for row in answer.rows]
