"""The one reader of the tables beside it."""

from __future__ import annotations

import csv
from pathlib import Path

__all__ = ["NOT_RECORDED", "rows"]

NOT_RECORDED = "not recorded"
"""What a row has as its day where nobody wrote one down."""


def rows(table: str) -> list[dict[str, str]]:
    """The rows of a table, such as `machines`, in its order."""
    with Path(__file__).with_name(f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
