"""Rows as text for spreadsheets; every CSV of this package is written here."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?")


def csv_of(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A header and the cells of each row by column, without a trailing line end; empty for missing values.

    Booleans as yes and no, list items one after another, text as from `cell`.
    """
    return csv_text([columns, *([_text(row.get(column)) for column in columns] for row in rows)])


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """One line per row, without a trailing line end.

    Python quotes a line break only if rows end in the same kind. So they end in both, and each of them, in a cell as at
    the end of a row, becomes a line feed when written.
    """
    out = io.StringIO(newline=None)
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().removesuffix("\n")


def cell(text: str) -> str:
    """Prefixes text that a spreadsheet would read as a formula with an apostrophe, which marks it as text."""
    formula = text[:1] in ("=", "+", "-", "@", "\t", "\r") and len(text) > 1 and not _NUMBER.fullmatch(text)
    return f"'{text}" if formula else text


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return cell("; ".join(map(str, cast("list[Any]", value))))
    return cell(str(value))
