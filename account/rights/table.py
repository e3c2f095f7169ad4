"""The tables of permissions: for each resource type, those required to create, read, change and delete it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from gpucluster.catalog.rows import Row, read_rows

Rights = tuple[str, ...]
"""Actions or roles, in their cloud's terms."""


@cache
def rights_in(table: str) -> Mapping[str, Rights]:
    """Type -> its permissions. table: file in this folder, without its extension; its column `source` lists their
    sources.
    """
    return {row["type"]: _words(row) for row in read_rows(f"account/rights/{table}.csv")}


def _words(row: Row) -> Rights:
    columns = [column for column in row if column not in ("type", "source")]
    return tuple(sorted({word for column in columns for word in row[column].split()}))
