"""The only reader of tables: those of the catalog, and those of resource types billed by rates."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

from gpucluster.errors import Fault

_ROOT: Final = Path(__file__).parents[3]


class DamagedTable(Fault):
    """A table has an unreadable value; the message gives file, line, column, value and allowed values."""


class Row(dict[str, str]):
    """The values of one row by column. place: its file and line, for error messages."""

    place: str

    def bad(self, column: str, write: str) -> DamagedTable:
        """The error for a value. write: the allowed values."""
        return DamagedTable(f"{self.place}: {column} is {self[column]!r}; {write}")


def rows(table: str) -> list[Row]:
    """The rows of a table of the catalog, such as `machines`, in its order."""
    return read_rows(f"gpucluster/core/catalog/{table}.csv")


def packaged(name: str) -> Path:
    """A file or folder of the package by its path in the repository; installed, all of them are in `gpucluster/`."""
    return _ROOT / name if (_ROOT / name).exists() else _ROOT / "gpucluster" / name


def read_rows(file: str) -> list[Row]:
    """The rows of a table, by its path in the repository. DamagedTable if it is not a table."""
    try:
        with packaged(file).open(encoding="utf-8", newline="") as opened:
            reader = csv.reader(opened, strict=True)
            header = next(reader)
            return [_row(f"{file} line {reader.line_num}", header, values) for values in reader if values]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DamagedTable(f"{file} cannot be read as CSV in UTF-8: {error}") from None


def _row(place: str, header: list[str], values: list[str]) -> Row:
    if len(values) != len(header):
        raise DamagedTable(
            f"{place}: {len(values)} values for {len(header)} columns; leave a value empty, do not omit it, and put a "
            f"text with a comma in quotes; columns: {','.join(header)}"
        )
    row = Row(zip(header, values, strict=True))
    row.place = place
    return row
