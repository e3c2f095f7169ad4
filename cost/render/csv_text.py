"""Rows as text for spreadsheets; every CSV of this package is written here."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?")


def csv_of(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A header and what each row has of its columns, without a line end after the last; empty where it has nothing.

    Yes and no for what is true or not, the items of a list behind each other, text as `cell` has it.
    """
    return csv_text([columns, *([_text(row.get(column)) for column in columns] for row in rows)])


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """A line each, without one after the last.

    Python quotes a line break only where rows end in one of its kind. So they end in both, and each, in a cell as at
    the end of a row, becomes a line feed on its way.
    """
    out = io.StringIO(newline=None)
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue().removesuffix("\n")


def cell(text: str) -> str:
    """Text that a spreadsheet would take for a formula begins with an apostrophe, which says that it is text."""
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
