"""The tables of rights: for each resource type, what it asks of whoever makes, reads, changes and deletes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gpucluster.catalog.rows import Row, read_rows

Rights = tuple[str, ...]
"""Actions or roles, as their cloud names them."""


@cache
def rights_in(table: str) -> Mapping[str, Rights]:
    """Type -> its rights. table: beside this file, without its ending; its column `source` says where they are from."""
    return {row["type"]: _words(row) for row in read_rows(f"account/rights/{table}.csv")}


def _words(row: Row) -> Rights:
    columns = [column for column in row if column not in ("type", "source")]
    return tuple(sorted({word for column in columns for word in row[column].split()}))
