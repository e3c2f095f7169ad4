"""The price book of one side of a change, from the text of its files."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path

from gpucluster.cost.prices import BadPrices, DamagedBook, PriceBook


def book_of(files: Mapping[str, str], folder: Path, *, own: Path | None, today: datetime.date) -> PriceBook:
    """A book from the files in a new folder. Raises BadPrices if the files are not a price book."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    try:
        book = PriceBook(folder=folder, own=own, today=today)
        if not book.providers:
            raise BadPrices("cost/prices has no price left")
        for provider in book.providers:
            book.rows(provider)
    except DamagedBook as error:
        raise BadPrices(f"cost/prices/{error.file} {error.problem}") from None
    return book
