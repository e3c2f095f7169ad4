"""The price book of one side of a change, from the text of its files."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cost.prices import BadPrices, PriceBook

__all__ = ["book_of"]

_AMOUNT: Final = re.compile(r"^\d{1,9}(\.\d{1,12})?$")


def book_of(files: Mapping[str, str], folder: Path, *, own: Path | None, today: datetime.date) -> PriceBook:
    """A book read from a new folder. BadPrices where the files are no price book."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    book = PriceBook(folder=folder, own=own, today=today)
    try:
        if not book.providers:
            raise BadPrices("cost/prices has no price left")
        for provider in book.providers:
            for row in book.rows(provider):
                if not _AMOUNT.match(f"{row.usd_per_unit:f}"):
                    raise BadPrices(f"cost/prices/{provider}.csv: {row.sku} costs no amount a book can hold")
    except BadPrices:
        raise
    except Exception as error:
        raise BadPrices(f"cost/prices cannot be read: {type(error).__name__}: {error}") from None
    return book
